//! What a run computes, and the fingerprint by which it is known everywhere.

use crate::{Fingerprint, Parameters};

/// Version of the payload and artifact formats; part of every fingerprint.
pub const FORMAT_VERSION: u32 = 1;

/// A run's complete specification. Plan and result bytes are pure functions of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSpec {
    /// Name of the workload.
    pub workload: String,
    /// The workload's algorithm version: raised whenever the bytes of a result may change.
    pub algorithm_version: u32,
    /// Canonical parameters, complete with defaults.
    pub parameters: Parameters,
    /// Wanted number of slices, 0 for the planner's own choice. Changes the plan, never the artifact.
    pub slice_target: u32,
}

impl RunSpec {
    /// BLAKE3 of format version, workload, algorithm version and canonical parameters. The slice target and
    /// the engine are not part of it: they do not change a byte of the artifact.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let text = format!(
            "fulldeck run\nformat {FORMAT_VERSION}\nworkload {}\nalgorithm {}\n{}",
            self.workload,
            self.algorithm_version,
            self.parameters.canonical(),
        );
        Fingerprint::of(text.as_bytes())
    }
}
