//! A toy workload whose computing can be held, and a coordinator in miniature that can be told to misbehave.

pub mod coordinator;
pub mod toy;

use std::time::Duration;

/// How long a test waits for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);
