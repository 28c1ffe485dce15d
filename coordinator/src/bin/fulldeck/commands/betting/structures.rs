//! `fulldeck betting structures`

use fulldeck_common::betting::structure::{BUILT_IN, KEYS};
use fulldeck_service::exit;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::error::CliError;
use crate::output::table::columns;
use crate::output::{Answer, Style, object};

pub(super) fn execute(app: &App) -> Result<u8, CliError> {
    app.output.print(&Structures)?;
    Ok(exit::OK)
}

struct Structures;

impl Answer for Structures {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "structures": self.lines(), "keys": KEYS }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let line = |(name, what): &(&str, &str)| object(json!({ "name": name, "summary": what }));
        BUILT_IN.iter().map(line).collect()
    }

    fn ids(&self) -> Vec<String> {
        BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn table(&self, style: Style) -> String {
        let rows = BUILT_IN.iter().map(|(name, what)| vec![(*name).to_owned(), (*what).to_owned()]);
        let mut text = columns(style, &["structure", "what it is"], rows.collect());
        text.push_str(&format!(
            "\nFiles begin with GAMEDEF, say limit or nolimit, and have the keys\n{}.\n",
            KEYS.join(", ")
        ));
        text
    }
}
