//! The seam between the engine, which knows no game, and the games, which know no network and no disk.
//!
//! A [`Workload`] describes itself and turns parameters into a [`Computation`]; a computation plans, computes
//! slices, checks results, assembles them into an artifact and answers questions about it. Adding a game is one
//! crate that implements both, and one line in the registry.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::{Map, Value};

use crate::picture::{Picture, PictureKind};
use crate::{
    JobIndex, ParameterError, ParameterSpec, Parameters, Permutation, Plan, PlanError, Slice,
};

/// A computation that fulldeck knows.
pub trait Workload: Send + Sync {
    /// Name, as on the command line.
    fn name(&self) -> &'static str;
    /// One line for people.
    fn summary(&self) -> &'static str;
    /// Raised whenever the bytes of a result may change.
    fn algorithm_version(&self) -> u32;
    /// Accepted parameters with defaults and bounds.
    fn parameters(&self) -> &'static [ParameterSpec];
    /// Binds validated parameters.
    ///
    /// # Errors
    /// [`WorkloadError`] when a combination of parameters makes no sense.
    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError>;
}

/// A workload with its parameters bound. Cheap to create: tables are built at first use.
pub trait Computation: Send + Sync {
    /// Cost and sizes, before anything starts.
    fn estimate(&self) -> Estimate;

    /// Cuts the run into jobs and slices: a pure function of the parameters and `slice_target` (wanted number
    /// of slices, 0 for the planner's own choice).
    ///
    /// # Errors
    /// [`PlanError`] when the run exceeds a bound.
    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError>;

    /// Computes slices of one batch, in the given order: one raw payload each, of exactly `raw_bytes` bytes.
    /// Pure CPU on the current rayon pool; polls `context` at least every 100 ms.
    ///
    /// # Errors
    /// [`ComputeError::Cancelled`] when asked to stop.
    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError>;

    /// Cheap identities that every right payload fulfils.
    ///
    /// # Errors
    /// [`CheckError`] naming the identity that is broken and where.
    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError>;

    /// Streams the payloads of all slices, in plan order, into the artifact. Memory must not grow with it.
    ///
    /// # Errors
    /// Any error of the payloads or the sink.
    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()>;

    /// As [`Computation::assemble`], for one job alone: the payloads are those of its slices. The artifact is one that
    /// [`Computation::query`] and [`Computation::verify`] understand, by its fact `job`.
    ///
    /// # Errors
    /// `Unsupported` for workloads whose jobs mean nothing alone; otherwise as [`Computation::assemble`].
    fn assemble_job(
        &self,
        plan: &Plan,
        job: JobIndex,
        _payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        _sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let name = plan.job(job).map_or("", |job| &job.name);
        let why = format!("the job {name} has no artifact of its own, only the whole run has one");
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }

    /// Answers a question about a finished artifact; the words are the workload's own (for omaha: one hand, or
    /// two). The answer is a flat, ordered record, printed as a table or as JSON. Without an own method no question
    /// has an answer.
    ///
    /// # Errors
    /// [`QueryError`], saying what is wrong with the question or the artifact.
    fn query(
        &self,
        _artifact: &dyn ArtifactSource,
        _question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        Err(QueryError::Question("the workload answers no questions, read its files".to_owned()))
    }

    /// Kinds of pictures that can be made of a finished artifact, the usual one first.
    fn pictures(&self) -> &'static [PictureKind] {
        &[]
    }

    /// Makes one of [`Computation::pictures`] from a finished artifact: the same picture for any number of threads.
    /// Works on the current rayon pool and reports progress in elements, of which there may be as many as
    /// [`Estimate::elements`]. The caller adds where the numbers come from.
    ///
    /// # Errors
    /// [`QueryError`] for a kind that is not offered, or an artifact that is incomplete or cannot be read.
    fn picture(
        &self,
        _artifact: &dyn ArtifactSource,
        kind: &str,
        _context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        Err(QueryError::no_picture(kind, self.pictures()))
    }

    /// Recomputes a sample of the artifact with an independent engine. A workload without one checks nothing, and says
    /// so by its report.
    ///
    /// # Errors
    /// [`QueryError`] when the artifact cannot be read. Disagreement is not an error but part of the report.
    fn verify(
        &self,
        _artifact: &dyn ArtifactSource,
        _sample: &Sample,
        _context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        Ok(VerifyReport::default())
    }

    /// As [`Computation::verify`], for the result of one slice. A workload without a second engine checks nothing, and
    /// says so by its report.
    ///
    /// # Errors
    /// [`ComputeError::Invalid`] when [`Computation::check`] refuses the result, [`ComputeError::Cancelled`] when asked
    /// to stop.
    fn recheck(
        &self,
        slice: &Slice,
        payload: &[u8],
        _sample: &Sample,
        _context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, ComputeError> {
        self.check(slice, payload).map_err(|CheckError(why)| ComputeError::Invalid(why))?;
        Ok(VerifyReport::default())
    }
}

/// What a run will need. Every figure is an estimate and is shown as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Elements of the artifact (cells, rows, ...).
    pub elements: u64,
    /// CPU time of the whole run on one core of a current server, in seconds.
    pub core_seconds: f64,
    /// Memory of one worker, in bytes.
    pub worker_bytes: u64,
    /// Results in the checkpoint, in bytes.
    pub store_bytes: u64,
    /// The artifact, in bytes.
    pub artifact_bytes: u64,
}

/// What a computing call may look at and report to.
pub struct ComputeContext<'a> {
    /// Set when the call should stop.
    pub cancel: &'a AtomicBool,
    /// Called, from any thread, with newly finished cost (same unit as [`Slice::cost`]).
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl ComputeContext<'_> {
    /// Whether the call should stop now.
    ///
    /// # Errors
    /// [`ComputeError::Cancelled`] if so, to be passed on with `?`.
    pub fn poll(&self) -> Result<(), ComputeError> {
        if self.cancel.load(Ordering::Relaxed) { Err(ComputeError::Cancelled) } else { Ok(()) }
    }
}

/// Share of an artifact to recompute.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Fraction of the elements, above 0 and at most 1; at least one element is taken.
    pub fraction: f64,
    /// Seed of the choice: the same seed takes the same elements.
    pub seed: u64,
}

/// Elements recomputed between two looks at the result: what a sample of everything holds in memory.
const SAMPLE_CHUNK: usize = 256;

impl Sample {
    /// The elements to recompute out of so many, none twice; none if there are none.
    pub fn draw(&self, elements: u64) -> impl Iterator<Item = u64> + use<> {
        let wanted = (elements as f64 * self.fraction).ceil() as u64;
        let wanted = wanted.clamp(1, elements.max(1)).min(elements);
        let order = Permutation::new(elements.max(1), self.seed);
        (0..wanted).map(move |index| order.at(index))
    }

    /// Draws elements and recomputes them on the current rayon pool. `check` says how an element differs, if it does;
    /// the report does not depend on the number of threads.
    ///
    /// # Errors
    /// The first error of `check`.
    pub fn recompute<E: Send>(
        &self,
        elements: u64,
        check: impl Fn(u64) -> Result<Option<String>, E> + Sync,
    ) -> Result<VerifyReport, E> {
        let mut report = VerifyReport::default();
        let mut drawn = self.draw(elements);
        loop {
            let chunk: Vec<u64> = drawn.by_ref().take(SAMPLE_CHUNK).collect();
            if chunk.is_empty() {
                return Ok(report);
            }
            let differences = chunk.into_par_iter().map(&check).collect::<Result<Vec<_>, E>>()?;
            differences.into_iter().for_each(|difference| report.add(difference));
        }
    }
}

/// Outcome of [`Computation::verify`].
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// Elements recomputed.
    pub checked: u64,
    /// Number of elements that differ.
    pub mismatched: u64,
    /// The first few differences, one line each.
    pub examples: Vec<String>,
}

/// Differences that a report tells one by one.
const MAX_EXAMPLES: usize = 10;

impl VerifyReport {
    /// Counts one recomputed element, and how it differs if it does.
    pub fn add(&mut self, difference: Option<String>) {
        self.checked += 1;
        if let Some(difference) = difference {
            self.mismatched += 1;
            if self.examples.len() < MAX_EXAMPLES {
                self.examples.push(difference);
            }
        }
    }
}

/// Type of an array's elements; always little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// Unsigned, 1 byte: bytes as they are.
    U8,
    /// Unsigned, 2 bytes.
    U16,
    /// Unsigned, 4 bytes.
    U32,
    /// Signed, 4 bytes.
    I32,
    /// Unsigned, 8 bytes.
    U64,
    /// Floating point, 8 bytes.
    F64,
}

impl ElementType {
    /// Bytes of one element.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::I32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }
}

/// An array opened in an [`ArtifactSink`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayId(pub usize);

/// Where an artifact is written: named arrays, tables and facts. Implemented by the artifact crate.
pub trait ArtifactSink {
    /// Opens an array of zeros with the given shape (row-major).
    ///
    /// # Errors
    /// Any error of the disk.
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId>;
    /// Writes little-endian elements at flat position `first`, in any order.
    ///
    /// # Errors
    /// Any error of the disk.
    fn write_at(&mut self, array: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()>;
    /// Writes a whole table (header first).
    ///
    /// # Errors
    /// Any error of the disk.
    fn table(
        &mut self,
        name: &str,
        header: &[&str],
        rows: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()>;
    /// Records a fact about the whole (totals, counts) in the manifest.
    fn fact(&mut self, name: &str, value: Value);
}

/// Where an artifact is read from. Implemented by the artifact crate.
pub trait ArtifactSource: Sync {
    /// Reads little-endian elements from flat position `first` of an array, filling `bytes`.
    ///
    /// # Errors
    /// Any error of the disk; `UnexpectedEof` beyond the array.
    fn read_at(&self, array: &str, first: u64, bytes: &mut [u8]) -> io::Result<()>;
    /// A fact from the manifest.
    fn fact(&self, name: &str) -> Option<&Value>;
}

/// Why parameters cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// A single parameter is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The combination is wrong; the text says why and what would be right.
    #[error("{0}")]
    Refused(String),
}

/// Why a slice was not computed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComputeError {
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The slices are not of this plan or not of one batch.
    #[error("{0}")]
    Invalid(String),
}

/// A payload that cannot be right.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CheckError(pub String);

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The question is malformed: what, where, and what would be right.
    #[error("{0}")]
    Question(String),
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The artifact cannot be read.
    #[error("cannot read the artifact: {0}")]
    Artifact(#[from] io::Error),
}

impl QueryError {
    /// A kind of picture that is not among those offered.
    #[must_use]
    pub fn no_picture(kind: &str, offered: &[PictureKind]) -> Self {
        let names: Vec<_> = offered.iter().map(|kind| kind.name).collect();
        Self::Question(match names.is_empty() {
            true => format!("there is no picture '{kind}'; no pictures are made of this"),
            false => format!("there is no picture '{kind}'; the kinds are {}", names.join(", ")),
        })
    }
}

/// The workloads a program knows.
#[derive(Clone, Default)]
pub struct Registry(Vec<Arc<dyn Workload>>);

impl Registry {
    /// A registry of these workloads; names must differ.
    ///
    /// # Panics
    /// If two workloads share a name: a defect of the program.
    #[must_use]
    pub fn new(workloads: Vec<Arc<dyn Workload>>) -> Self {
        let mut names: Vec<_> = workloads.iter().map(|workload| workload.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), workloads.len(), "workload names are unique");
        Self(workloads)
    }

    /// All workloads, in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Workload>> {
        self.0.iter()
    }

    /// The workload called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Workload>> {
        self.0.iter().find(|workload| workload.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_drawn_once_each_and_reported_in_any_number_of_threads() {
        for (fraction, elements, count) in
            [(1.0, 1000, 1000), (0.1, 999, 100), (1e-9, 5, 1), (1.0, 0, 0)]
        {
            let sample = Sample { fraction, seed: 3 };
            let mut drawn: Vec<u64> = sample.draw(elements).collect();
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), count);
            let odd = |element: u64| Ok::<_, ()>((element % 2 == 1).then(|| element.to_string()));
            let report = sample.recompute(elements, odd).unwrap();
            let odds = drawn.iter().filter(|element| **element % 2 == 1).count() as u64;
            assert_eq!((report.checked, report.mismatched), (count as u64, odds));
            assert_eq!(report.examples.len(), MAX_EXAMPLES.min(odds as usize));
        }
        let refuse = |element: u64| if element == 4 { Err("four") } else { Ok(None) };
        assert_eq!(Sample { fraction: 1.0, seed: 1 }.recompute(9, refuse).unwrap_err(), "four");
    }
}
