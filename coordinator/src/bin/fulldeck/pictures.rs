//! Files of pictures, and what commands that draw have in common.

use std::path::{Path, PathBuf};

use clap::Args;
use fulldeck_artifact::Manifest;
use fulldeck_job::QueryError;
use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_render as render;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::commands::query::Record;
use crate::error::CliError;
use crate::files;
use crate::output::table::columns;
use crate::output::{Answer, Style, object};

/// Which picture, and where to.
#[derive(Clone, Debug, Args)]
pub(crate) struct Drawn {
    /// Kind of picture [default: the first of those there are]
    #[arg(long, env = "FULLDECK_KIND", value_name = "KIND")]
    kind: Option<String>,
    /// The picture's file, .png or .svg; short: -o FILE. Without a file the kinds are listed
    #[arg(long, env = "FULLDECK_FILE", value_name = "FILE")]
    file: Option<PathBuf>,
}

/// A kind of picture and the file it goes to.
pub(crate) struct Asked {
    pub(crate) kind: &'static PictureKind,
    file: PictureFile,
}

impl Drawn {
    /// What is to be drawn; without a file the kinds are printed instead.
    pub(crate) fn asked(
        &self,
        app: &App,
        kinds: &'static [PictureKind],
    ) -> Result<Option<Asked>, CliError> {
        let file = self.file(app)?;
        if kinds.is_empty() {
            return Err(CliError::usage("no pictures are made of it"));
        }
        let name = self.kind.as_deref();
        let chosen = match name {
            Some(name) => kinds.iter().find(|kind| kind.name == name),
            None => kinds.first(),
        };
        match (chosen, file) {
            (None, _) => Err(QueryError::no_picture(name.unwrap_or_default(), kinds).into()),
            (Some(kind), Some(file)) => Ok(Some(Asked { kind, file })),
            (Some(_), None) if name.is_none() => {
                app.output.print(&Kinds(kinds))?;
                Ok(None)
            }
            (Some(kind), None) => {
                Err(CliError::usage(format!("no file is named for the picture '{}'", kind.name))
                    .hint("-o FILE.png and -o FILE.svg are right"))
            }
        }
    }

    /// The file, looked at before anything is computed.
    pub(crate) fn file(&self, app: &App) -> Result<Option<PictureFile>, CliError> {
        match (&self.file, &app.file) {
            (Some(_), Some(_)) => Err(CliError::usage("two files are named for one picture")
                .hint("--file FILE or -o FILE is right")),
            (Some(file), None) | (None, Some(file)) => PictureFile::at(file).map(Some),
            (None, None) => Ok(None),
        }
    }
}

impl Asked {
    /// Writes the picture and says so.
    pub(crate) fn write(&self, app: &App, picture: &Picture) -> Result<(), CliError> {
        let bytes = self.file.write(picture)?;
        app.output.print(&Record(object(json!({
            "file": self.file.path.display().to_string(),
            "kind": self.kind.name,
            "title": picture.title,
            "bytes": bytes,
        }))))
    }
}

/// A file that a picture can be written to.
#[derive(Clone, Debug)]
pub(crate) struct PictureFile {
    path: PathBuf,
    is_svg: bool,
}

impl PictureFile {
    /// Refuses what ends in neither .png nor .svg, and a folder that is not there.
    pub(crate) fn at(path: &Path) -> Result<Self, CliError> {
        let extension = path.extension().map(|end| end.to_ascii_lowercase());
        let is_svg = match extension.as_deref().and_then(|end| end.to_str()) {
            Some("svg") => true,
            Some("png") => false,
            _ => {
                let path = path.display();
                return Err(CliError::usage(format!("'{path}' is no file of a picture"))
                    .hint("names that end in .png or .svg are right"));
            }
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(CliError::usage(format!("there is no folder '{}'", folder.display()))
                .hint("the folder of the picture has to be there"));
        }
        if path.is_dir() {
            return Err(CliError::usage(format!("'{}' is a folder", path.display()))
                .hint("a file is needed for the picture"));
        }
        Ok(Self { path: path.to_owned(), is_svg })
    }

    /// Draws and writes; a file that is there is replaced as a whole. Returns the number of bytes.
    pub(crate) fn write(&self, picture: &Picture) -> Result<usize, CliError> {
        let bytes = match self.is_svg {
            true => render::svg(picture).map(String::into_bytes),
            false => render::png(picture),
        };
        let bytes = bytes.map_err(|error| CliError::unexpected(error.to_string()))?;
        files::replace(&self.path, &bytes)?;
        Ok(bytes.len())
    }
}

/// `fulldeck run a1b2c3d4e5f6: omaha, cards=2`, with the parameters that are not the usual ones: the same for the same
/// run, wherever it was made.
pub(crate) fn source_of(app: &App, manifest: &Manifest) -> String {
    let usual = |line: &&str| {
        let specs = app.registry.get(&manifest.workload).map_or(&[][..], |w| w.parameters());
        specs.iter().any(|spec| *line == format!("{}={}", spec.name, spec.default))
    };
    let parameters = manifest.canonical_parameters();
    let parameters = parameters.lines().filter(|line| !usual(line));
    let words: Vec<_> = [manifest.workload.as_str()].into_iter().chain(parameters).collect();
    format!("fulldeck run {}: {}", manifest.fingerprint.short(), words.join(", "))
}

/// The kinds of pictures there are.
struct Kinds(&'static [PictureKind]);

impl Answer for Kinds {
    fn json(&self) -> Map<String, Value> {
        object(json!({ "kinds": self.lines() }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        let line =
            |kind: &PictureKind| object(json!({ "kind": kind.name, "summary": kind.summary }));
        self.0.iter().map(line).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.0.iter().map(|kind| kind.name.to_owned()).collect()
    }

    fn table(&self, style: Style) -> String {
        let rows = self.0.iter().map(|kind| vec![kind.name.to_owned(), kind.summary.to_owned()]);
        columns(style, &["kind", "what is drawn with -o FILE"], rows.collect())
    }
}
