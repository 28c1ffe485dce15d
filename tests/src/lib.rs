//! Scenarios across processes: the real programs are started, killed, restarted and asked.
//!
//! A [`Scene`] is one story: a temporary folder, a log per process, a seed for everything random. When the story
//! fails, the scene tells its seed and the ends of all logs; however it ends, no process outlives it. A
//! [`Cluster`] is a coordinator with its workers in a scene, a [`SmallDisk`] is soon full. [`checkpoint`], [`bundles`] and [`Artifact`] look at what the
//! programs left on disk, without asking the programs.
//!
//! Nothing here waits for a time to pass in the hope that something has happened: [`until`] waits for a condition
//! with a deadline. The harness panics where a test would, so that a scenario reads as a story.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a harness fails by panicking")]

mod artifact;
pub mod bundles;
pub mod checkpoint;
mod cluster;
pub mod empty;
mod process;
mod programs;
mod random;
mod reference;
mod scene;
mod slurm;
mod small_disk;
mod wait;

pub use artifact::Artifact;
pub use cluster::Cluster;
pub use process::Process;
pub use programs::{EMPTY_COORDINATOR, FULLDECK, WORKER, program};
pub use random::{Random, faults};
pub use reference::{HOLDEM, HOLDEM_DIGEST, undisturbed};
pub use scene::{Answer, Scene};
pub use slurm::Slurm;
pub use small_disk::SmallDisk;
pub use wait::{PATIENCE, until};
