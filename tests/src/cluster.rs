//! A coordinator and its workers.

use std::path::PathBuf;

use serde_json::Value;

use crate::process::Process;
use crate::programs::{FULLDECK, STRANGE_WORKER, WORKER};
use crate::scene::{Answer, Scene};
use crate::wait::until;

/// A coordinator over the data folder `data` of a scene. It listens on a free port, another one at every start;
/// workers and commands find it by its access file.
#[derive(Debug)]
pub struct Cluster<'a> {
    scene: &'a Scene,
    coordinator: Process,
    /// Further words for the coordinator.
    words: String,
}

impl<'a> Cluster<'a> {
    /// Starts the coordinator and waits until it listens. No result is computed a second time, so that what is durable
    /// counts at once.
    #[must_use]
    pub fn start(scene: &'a Scene) -> Self {
        Self::start_with(scene, "--validate off")
    }

    /// The same, with further words for the coordinator.
    #[must_use]
    pub fn start_with(scene: &'a Scene, words: &str) -> Self {
        let words = words.to_owned();
        let mut cluster = Self { coordinator: launch(scene, &words), scene, words };
        cluster.await_listening();
        cluster
    }

    /// The data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.scene.path("data")
    }

    /// The coordinator.
    pub fn coordinator(&mut self) -> &mut Process {
        &mut self.coordinator
    }

    /// Starts the coordinator anew (one that still runs is killed) and does not wait.
    pub fn relaunch(&mut self) {
        self.coordinator.kill();
        self.coordinator = launch(self.scene, &self.words);
    }

    /// Waits until the coordinator listens; what it printed then.
    ///
    /// # Panics
    /// If it ends instead.
    pub fn await_listening(&mut self) -> Value {
        until("a listening coordinator", || {
            let joining = serde_json::from_str(&self.coordinator.stdout()).ok();
            assert!(joining.is_some() || self.coordinator.runs(), "the coordinator ended");
            joining
        })
    }

    /// Starts a slim worker of one thread; `more` are further words.
    #[must_use]
    pub fn worker(&self, name: &str, more: &str) -> Process {
        let words = format!("--access data/access-worker.toml --threads 1 --name {name} {more}");
        self.scene.start(WORKER, &words)
    }

    /// Starts a worker of one thread that misbehaves in this manner: see `fulldeck-strange-worker`.
    #[must_use]
    pub fn strange_worker(&self, manner: &str, name: &str, more: &str) -> Process {
        let words = format!("{manner} --access data/access.toml --threads 1 --name {name} {more}");
        self.scene.start(STRANGE_WORKER, &words)
    }

    /// Runs a command against the coordinator.
    #[track_caller]
    pub fn fulldeck(&self, words: &str) -> Answer {
        self.scene.fulldeck(&format!("{words} --data-dir data"))
    }

    /// The JSON by which a command answers.
    #[track_caller]
    pub fn json(&self, words: &str) -> Value {
        self.scene.json(&format!("{words} --data-dir data"))
    }

    /// How many slices of the last run are committed, by the coordinator's word.
    ///
    /// # Panics
    /// If there is no run.
    #[must_use]
    #[track_caller]
    pub fn committed(&self) -> u64 {
        self.json("status last")["slices"]["committed"].as_u64().expect("a number of slices")
    }
}

fn launch(scene: &Scene, more: &str) -> Process {
    let words = format!("coordinator --data-dir data --listen 127.0.0.1:0 -o json {more}");
    scene.start(FULLDECK, &words)
}
