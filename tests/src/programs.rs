//! The programs under test, as cargo built them.

use std::path::PathBuf;
use std::process::Command;

/// The main program.
pub const FULLDECK: &str = "fulldeck";
/// The slim worker.
pub const WORKER: &str = "fulldeck-worker";
/// A worker that misbehaves as its first word says.
pub(crate) const STRANGE_WORKER: &str = "fulldeck-strange-worker";
/// A coordinator that knows only the workload of [`crate::empty`].
pub const EMPTY_COORDINATOR: &str = "fulldeck-empty-coordinator";
/// Variables of this name would change what the programs do.
const OUR_VARIABLES: &str = "FULLDECK_";

/// A command of a program, without variables of its own.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(self::program(program));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with(OUR_VARIABLES) {
            command.env_remove(name);
        }
    }
    // Data folders are copied, and disks are small.
    command.env_remove("NO_COLOR").env("FULLDECK_RESERVE", "0");
    command
}

/// Where a program is. Programs lie one folder above the test executables: `target/<profile>/` and
/// `target/<profile>/deps/`.
///
/// # Panics
/// If it has not been built.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("target/<profile>/deps");
    let path = folder.join(name);
    let release = if cfg!(debug_assertions) { "" } else { " --release" };
    assert!(
        path.is_file(),
        "{} is missing: build it by cargo build --workspace{release}, or test by cargo test --workspace{release}",
        path.display()
    );
    path
}
