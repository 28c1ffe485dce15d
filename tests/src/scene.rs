//! One story: its folder, its logs, its seed.

use std::cell::{Cell, RefCell};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::artifact::Artifact;
use crate::process::Process;
use crate::programs::{self, FULLDECK};
use crate::random::Random;

/// Bytes of each log that are shown after a failure.
const TAIL_BYTES: usize = 1500;
/// Logs that are shown after a failure, newest last.
const TAILS: usize = 24;

/// How the name of an artifact's folder ends as long as it is being written.
const UNFINISHED: &str = "tmp";

/// A temporary folder in which programs run. When the test fails, its seed and the ends of its logs are printed.
#[derive(Debug)]
pub struct Scene {
    folder: tempfile::TempDir,
    started: Cell<u32>,
    random: RefCell<Random>,
}

/// How a program ended and what it wrote.
#[derive(Debug)]
pub struct Answer {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Answer {
    /// Waits for the end of a process.
    #[track_caller]
    pub(crate) fn of(mut process: Process) -> Self {
        let code = process.code();
        Self { code, stdout: process.stdout(), stderr: process.stderr() }
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The same, if the program ended with this code.
    ///
    /// # Panics
    /// If it ended with another.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Asserts that standard error contains each of these.
    ///
    /// # Panics
    /// If it lacks one.
    #[track_caller]
    pub fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.stderr.contains(part), "'{part}' is not in {}", self.stderr);
        }
    }
}

impl Scene {
    /// An empty folder and a seed, which is printed.
    ///
    /// # Panics
    /// If there is no temporary folder.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("logs")).expect("a folder for logs");
        let random = Random::new();
        eprintln!("FULLDECK_SEED={}", random.seed());
        Self { folder, started: Cell::new(0), random: RefCell::new(random) }
    }

    /// A path in the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file that its owner alone can read.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn secret(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::write(&path, text).expect("a secret");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("its mode");
    }

    /// The one artifact of a data folder; unfinished ones do not count.
    ///
    /// # Panics
    /// Unless there is exactly one.
    #[must_use]
    #[track_caller]
    pub fn artifact(&self, data: &str) -> Artifact {
        let merged = self.merged(data);
        assert_eq!(merged.len(), 1, "one artifact in {data}: {merged:?}");
        Artifact::read(&merged[0])
    }

    /// The folders of a data folder's artifacts; unfinished ones do not count.
    ///
    /// # Panics
    /// If they cannot be listed.
    #[must_use]
    pub fn merged(&self, data: &str) -> Vec<PathBuf> {
        let all = self.artifacts(data).into_iter();
        all.filter(|path| path.extension().is_none_or(|end| end != UNFINISHED)).collect()
    }

    /// Everything in the folder of a data folder's artifacts.
    ///
    /// # Panics
    /// If it cannot be listed.
    #[must_use]
    pub fn artifacts(&self, data: &str) -> Vec<PathBuf> {
        fs::read_dir(self.path(data).join("artifacts"))
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("an entry of artifacts").path())
            .collect()
    }

    /// Draws something random.
    pub fn random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut self.random.borrow_mut())
    }

    /// Starts a program with these words, separated by spaces, in the folder.
    #[must_use]
    pub fn start(&self, program: &str, words: &str) -> Process {
        let mut command = programs::command(program);
        command.current_dir(self.folder.path()).args(words.split_whitespace());
        self.launch(command, program, words)
    }

    /// The same, with these variables.
    #[must_use]
    pub fn start_with(&self, program: &str, words: &str, variables: &[(&str, &str)]) -> Process {
        let mut command = programs::command(program);
        command.current_dir(self.folder.path()).args(words.split_whitespace());
        command.envs(variables.iter().copied());
        self.launch(command, program, words)
    }

    /// Starts a command that does what these words ask of a program; names its log by them.
    pub(crate) fn launch(&self, command: Command, program: &str, words: &str) -> Process {
        let number = self.started.get();
        self.started.set(number + 1);
        let verb = words.split_whitespace().next().unwrap_or_default().trim_start_matches('-');
        let stem = self.path("logs").join(format!("{number:04}-{program}-{verb}"));
        Process::start(command, &format!("{program} {words}"), &stem)
    }

    /// Runs a program to its end.
    ///
    /// # Panics
    /// If it does not end, or is ended by a signal.
    #[track_caller]
    pub fn answer(&self, program: &str, words: &str) -> Answer {
        Answer::of(self.start(program, words))
    }

    /// Runs `fulldeck` to its end.
    ///
    /// # Panics
    /// If it does not end, or is ended by a signal.
    #[track_caller]
    pub fn fulldeck(&self, words: &str) -> Answer {
        self.answer(FULLDECK, words)
    }

    /// The JSON by which `fulldeck` answers when it ends with 0.
    ///
    /// # Panics
    /// If it ends otherwise.
    #[track_caller]
    pub fn json(&self, words: &str) -> Value {
        self.fulldeck(&format!("{words} -o json")).expect(0).json()
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        eprintln!("FULLDECK_SEED={}", self.random.borrow().seed());
        let mut logs: Vec<_> = fs::read_dir(self.path("logs"))
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|log| fs::metadata(log).is_ok_and(|log| log.len() > 0))
            .collect();
        logs.sort();
        for log in &logs[logs.len().saturating_sub(TAILS)..] {
            eprintln!("---- {}\n{}", log.display(), tail(log));
        }
    }
}

fn tail(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let from = bytes.len().saturating_sub(TAIL_BYTES);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}
