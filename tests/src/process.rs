//! A running program. It never outlives its value.

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::wait::{PATIENCE, within};

/// A running program whose output goes into files. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    name: String,
    out: PathBuf,
    err: PathBuf,
}

impl Process {
    /// Starts a command; its output is appended to `<stem>.out` and `<stem>.err`.
    pub(crate) fn start(mut command: Command, name: &str, stem: &Path) -> Self {
        let (out, err) = (stem.with_extension("out"), stem.with_extension("err"));
        let open = |path: &Path| -> File {
            OpenOptions::new().create(true).append(true).open(path).expect("a log file")
        };
        let child = command
            .stdin(Stdio::null())
            .stdout(open(&out))
            .stderr(open(&err))
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        Self { child, name: name.to_owned(), out, err }
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it runs.
    pub fn runs(&mut self) -> bool {
        self.ended().is_none()
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the state of a child")
    }

    /// Its exit code, if it ends within the time; else `None`, and it goes on.
    ///
    /// # Panics
    /// If a signal ended it.
    pub fn code_within(&mut self, time: Duration) -> Option<i32> {
        let ended = within(time, || self.ended())?;
        Some(ended.code().unwrap_or_else(|| panic!("{} ended by {:?}", self.name, ended.signal())))
    }

    /// Waits for its end, whatever ended it: its exit code, or `None` after a signal.
    ///
    /// # Panics
    /// If it goes on.
    #[track_caller]
    pub fn end(&mut self) -> Option<i32> {
        let ended = within(PATIENCE, || self.ended());
        ended.unwrap_or_else(|| panic!("{} still runs after {PATIENCE:?}", self.name)).code()
    }

    /// Its exit code.
    ///
    /// # Panics
    /// If it goes on, or if a signal ended it.
    #[track_caller]
    pub fn code(&mut self) -> i32 {
        self.code_within(PATIENCE)
            .unwrap_or_else(|| panic!("{} still runs after {PATIENCE:?}", self.name))
    }

    /// Asks it to end (SIGTERM).
    ///
    /// # Panics
    /// If it has ended.
    #[track_caller]
    pub fn terminate(&mut self) {
        assert!(self.runs(), "{} ended before it was asked to", self.name);
        // Its number is its own until it is waited for, which only this value does.
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("a signal to a child");
    }

    /// Kills it (SIGKILL) and waits until it is gone.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        self.child.wait().expect("the end of a child");
    }

    /// What it wrote to standard output.
    #[must_use]
    pub fn stdout(&self) -> String {
        read(&self.out)
    }

    /// What it wrote to standard error.
    #[must_use]
    pub fn stderr(&self) -> String {
        read(&self.err)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).expect("a log file")).into_owned()
}
