//! The vocabulary every part of fulldeck shares: a *run* is cut into *jobs*, a job into *slices*; a
//! slice's *result* carries a *digest*; a run is known by its *fingerprint*.
//!
//! Main types: [`RunSpec`] (what is to be computed), [`Plan`] (how it is cut), [`Workload`] and
//! [`Computation`] (the seam a game implements), [`record`] (the frame in which results are stored and
//! carried), [`picture`] (what a picture shows).
//!
//! Deliberately absent: async, sockets, databases, and every game.

mod digest;
mod parameters;
pub mod picture;
mod plan;
mod random;
pub mod record;
mod shard;
mod spec;
mod workload;

pub use digest::{Digest, Fingerprint};
pub use parameters::{ParameterError, ParameterKind, ParameterSpec, Parameters};
pub use plan::{Job, JobIndex, Plan, PlanError, Slice, SliceId};
pub use random::{Permutation, mix, random, random_below};
pub use shard::{MAX_SHARDS, Shard, ShardError};
pub use spec::{FORMAT_VERSION, RunSpec};
pub use workload::{
    ArrayId, ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, QueryError, Registry, Sample, VerifyReport, Workload, WorkloadError,
};

/// Largest raw (uncompressed) result of one slice, in bytes. A planner keeps well below it.
pub const MAX_RESULT_BYTES: usize = 64 << 20;
/// Largest canonical parameter text of a run, in bytes.
pub const MAX_PARAMETER_BYTES: usize = 64 << 10;
/// Most slices one run may have.
pub const MAX_SLICES: u32 = 1_000_000;
