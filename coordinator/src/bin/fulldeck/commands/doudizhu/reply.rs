//! A record with lists, as JSON and for people.

use fulldeck_common::doudizhu::answers::Answer as Fields;
use serde_json::{Map, Value};

use crate::output::table::{columns, label, plain, record};
use crate::output::{Answer, Style};

/// An answer; the lists in it are shown as tables below the record.
pub(super) struct Reply(pub(super) Fields);

impl Answer for Reply {
    fn json(&self) -> Map<String, Value> {
        self.0.clone()
    }

    fn ids(&self) -> Vec<String> {
        let single = self.0.values().filter(|value| !value.is_array());
        vec![single.map(plain).collect::<Vec<_>>().join("\t")]
    }

    fn table(&self, style: Style) -> String {
        let (lists, single): (Map<_, _>, Map<_, _>) =
            self.0.clone().into_iter().partition(|(_, value)| value.is_array());
        let single = single.into_iter().map(|(name, value)| (name, rounded(value))).collect();
        let mut text = record(style, &single);
        for list in lists.values().filter_map(Value::as_array) {
            text.push_str(&list_table(style, list));
        }
        text
    }
}

/// A list of records, one a line.
fn list_table(style: Style, list: &[Value]) -> String {
    let Some(first) = list.first().and_then(Value::as_object) else { return String::new() };
    let names: Vec<&String> = first.keys().collect();
    let titles: Vec<String> = names
        .iter()
        .map(|name| match &first[*name] {
            Value::Number(_) => format!(">{}", label(name)),
            _ => label(name),
        })
        .collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let rows = list
        .iter()
        .map(|line| names.iter().map(|name| shown(&line[name.as_str()])).collect())
        .collect();
    format!("\n{}", columns(style, &titles, rows))
}

/// Shares with as many digits as a person reads.
fn rounded(value: Value) -> Value {
    match value.as_f64() {
        Some(number) if value.is_f64() => Value::from(format!("{number:.4}")),
        _ => value,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => String::new(),
        other => plain(other),
    }
}
