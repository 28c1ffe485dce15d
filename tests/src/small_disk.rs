//! A disk of a few megabytes that only the processes started on it see. Needs no privileges, but a system that lets
//! users have mounts of their own.

use std::process::Command;

use crate::process::Process;
use crate::programs;
use crate::scene::{Answer, Scene};
use crate::wait::until;

/// What must not be skipped, separated by commas.
const REQUIRE: &str = "FULLDECK_REQUIRE";
/// The folder of a scene where the disk is mounted.
const PLACE: &str = "small";
/// Mounts it, says so, and keeps it until killed.
const HOLD: &str =
    r#"mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && exec sleep infinity"#;
/// Runs a program from the scene's folder, as it looks with the disk.
const ENTER: &str = r#"cd "$0" && exec "$@""#;

/// A disk mounted on the folder `small` of a scene.
#[derive(Debug)]
pub struct SmallDisk<'a> {
    scene: &'a Scene,
    holder: Process,
}

impl<'a> SmallDisk<'a> {
    /// Mounts a disk of this size (`60m`). `None`, which is said, if the system does not let users do that.
    ///
    /// # Panics
    /// If the scene has such a folder already, or if `FULLDECK_REQUIRE` names `mount` and there is none.
    #[must_use]
    pub fn mount(scene: &'a Scene, size: &str) -> Option<Self> {
        let place = scene.path(PLACE);
        std::fs::create_dir(&place).expect("a new folder");
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", HOLD]);
        command.arg(&place).arg(size);
        let mut holder = scene.launch(command, "unshare", "mount");
        let mounted = until("a mounted disk", || {
            if holder.stdout().contains("mounted") {
                return Some(true);
            }
            (!holder.runs()).then_some(false)
        });
        if mounted {
            return Some(Self { scene, holder });
        }
        let why = holder.stderr();
        let required = std::env::var(REQUIRE).unwrap_or_default();
        assert!(!required.split(',').any(|name| name == "mount"), "{why}");
        eprintln!("skipped: a user cannot mount a disk here: {why}");
        None
    }

    fn enter(&self) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--user", "--mount", "--preserve-credentials", "--target"]);
        command.arg(self.holder.id().to_string()).args(["sh", "-c", ENTER]);
        command.arg(self.scene.path(""));
        command
    }

    /// Starts a program with these words in the scene's folder; `small` is the disk.
    #[must_use]
    pub fn start(&self, program: &str, words: &str) -> Process {
        let inner = programs::command(program);
        let mut command = self.enter();
        command.arg(inner.get_program()).args(words.split_whitespace());
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.scene.launch(command, program, words)
    }

    /// Runs a shell script in the scene's folder.
    ///
    /// # Panics
    /// If it fails.
    #[track_caller]
    pub fn shell(&self, script: &str) -> Answer {
        let mut command = self.enter();
        command.args(["sh", "-c", script]);
        Answer::of(self.scene.launch(command, "sh", "script")).expect(0)
    }

    /// Runs a program to its end.
    ///
    /// # Panics
    /// If it does not end, or is ended by a signal.
    #[track_caller]
    pub fn answer(&self, program: &str, words: &str) -> Answer {
        Answer::of(self.start(program, words))
    }
}
