//! What a bundle says of itself.

use crate::{Digest, Fingerprint, MAX_PARAMETER_BYTES, RunSpec, Shard};

/// First line of the text.
const FIRST_LINE: &str = "fulldeck bundle 1";
/// Longest text, in bytes.
pub(super) const MAX_TEXT: usize = MAX_PARAMETER_BYTES + 4096;

/// What a bundle says of itself: the run, its plan, and the part of it that was to be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleHeader {
    /// Name of the workload.
    pub workload: String,
    /// Its algorithm version.
    pub algorithm_version: u32,
    /// Canonical parameters, one `name=value` a line.
    pub parameters: String,
    /// Wanted number of slices, 0 for the planner's choice.
    pub slice_target: u32,
    /// Fingerprint of the run.
    pub fingerprint: Fingerprint,
    /// Digest of the plan its slices belong to.
    pub plan_digest: Digest,
    /// The part of the plan that the file was written for. Says nothing about what is in it.
    pub shard: Shard,
}

/// Why a file is not a bundle that can be read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Shorter than its head, or the head is no head of a file of records.
    #[error("it is no bundle, or its beginning is damaged")]
    Head,
    /// Of another version.
    #[error("it has format version {0}, this program reads 1; install the release that wrote it")]
    Version(u32),
    /// The first record is not the one that says which run this is.
    #[error("the record that says which run it belongs to is damaged")]
    Run,
    /// That record is intact, but makes no sense.
    #[error("what it says of its run makes no sense: {0}")]
    Text(String),
}

impl BundleHeader {
    /// For the results of a run.
    #[must_use]
    pub fn new(spec: &RunSpec, plan_digest: Digest, shard: Shard) -> Self {
        Self {
            workload: spec.workload.clone(),
            algorithm_version: spec.algorithm_version,
            parameters: spec.parameters.canonical(),
            slice_target: spec.slice_target,
            fingerprint: spec.fingerprint(),
            plan_digest,
            shard,
        }
    }

    /// Whether results of `other` are results of the same plan.
    #[must_use]
    pub fn is_of_the_plan_of(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && self.plan_digest == other.plan_digest
    }

    /// As text: a line for each fact, then the parameters.
    #[must_use]
    pub fn text(&self) -> String {
        format!(
            "{FIRST_LINE}\nworkload {}\nalgorithm {}\nslices {}\nfingerprint {}\nplan {}\nshard {}\n{}",
            self.workload,
            self.algorithm_version,
            self.slice_target,
            self.fingerprint,
            self.plan_digest,
            self.shard,
            self.parameters,
        )
    }

    /// Reads the text back.
    ///
    /// # Errors
    /// [`BundleError::Text`], naming the first line that is missing or makes no sense.
    pub fn parse(text: &str) -> Result<Self, BundleError> {
        let mut lines = text.splitn(8, '\n');
        let wrong = |what: &str| BundleError::Text(format!("the line '{what}' is missing or odd"));
        if lines.next() != Some(FIRST_LINE) {
            return Err(wrong(FIRST_LINE));
        }
        let mut fact = |name: &str| {
            let value = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
            value.ok_or_else(|| wrong(name))
        };
        let workload = fact("workload")?.to_owned();
        let algorithm_version = fact("algorithm")?.parse().map_err(|_| wrong("algorithm"))?;
        let slice_target = fact("slices")?.parse().map_err(|_| wrong("slices"))?;
        let fingerprint = fact("fingerprint")?.parse().map_err(|_| wrong("fingerprint"))?;
        let plan_digest = fact("plan")?.parse().map_err(|_| wrong("plan"))?;
        let shard = fact("shard")?.parse().map_err(|_| wrong("shard"))?;
        let parameters = lines.next().ok_or_else(|| wrong("parameters"))?.to_owned();
        Ok(Self {
            workload,
            algorithm_version,
            parameters,
            slice_target,
            fingerprint,
            plan_digest,
            shard,
        })
    }
}
