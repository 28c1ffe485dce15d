//! Looking at the bytes of a result before anybody believes it: off the async threads, a few at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use fulldeck_job::record::{Codec, decode_payload};
use fulldeck_job::{Computation, Digest, MAX_RESULT_BYTES, Slice};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Uploads in progress, from the first piece to the answer. Small results are many, and one wait for the disk makes them
/// all durable; large ones are bounded by their bytes.
pub(crate) const MAX_UPLOADS: usize = 1_024;
/// Bytes of all uploads in progress, as sent.
const MAX_UPLOAD_BYTES: usize = 2 * MAX_RESULT_BYTES;
/// The bytes are counted in this unit.
const UNIT: usize = 1 << 10;
/// Results decoded and checked at the same time.
const THREADS: usize = 2;

const _: () = assert!(MAX_UPLOAD_BYTES >= MAX_RESULT_BYTES, "one upload always fits");

/// Where uploads are counted and checked.
#[derive(Clone)]
pub(crate) struct Intake {
    uploads: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    pool: Arc<rayon::ThreadPool>,
}

/// A result as it arrived.
pub(crate) struct Arrived {
    pub(crate) slice: Slice,
    pub(crate) codec: Codec,
    pub(crate) digest: Digest,
    pub(crate) stored: Bytes,
}

impl Intake {
    pub(crate) fn new() -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .thread_name(|index| format!("fulldeck-intake-{index}"))
            .build()?;
        Ok(Self {
            uploads: Arc::new(Semaphore::new(MAX_UPLOADS)),
            memory: Arc::new(Semaphore::new(MAX_UPLOAD_BYTES / UNIT)),
            pool: Arc::new(pool),
        })
    }

    /// One more upload; `None` if there are enough.
    pub(crate) fn begin(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.uploads).try_acquire_owned().ok()
    }

    /// Uploads there are.
    pub(crate) fn in_progress(&self) -> usize {
        MAX_UPLOADS - self.uploads.available_permits()
    }

    /// Room for the bytes of an upload; `None` if the others need it. At most [`MAX_RESULT_BYTES`].
    pub(crate) fn reserve(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).ok()?;
        Arc::clone(&self.memory).try_acquire_many_owned(units).ok()
    }

    /// Decodes, compares the digest, and checks the workload's identities.
    ///
    /// # Errors
    /// What is wrong with the bytes, in words.
    pub(crate) async fn verify(
        &self,
        computation: Arc<dyn Computation>,
        arrived: Arrived,
    ) -> Result<Arrived, String> {
        let (sender, verdict) = oneshot::channel();
        self.pool.spawn(move || {
            let checked = catch_unwind(AssertUnwindSafe(|| check(computation.as_ref(), &arrived)))
                .unwrap_or_else(|_| Err("the workload's check panicked".to_owned()));
            // Whoever sent the result may have gone.
            let _ = sender.send(checked.map(|()| arrived));
        });
        verdict.await.unwrap_or_else(|_| Err("the check was given up".to_owned()))
    }
}

fn check(computation: &dyn Computation, arrived: &Arrived) -> Result<(), String> {
    let Arrived { slice, codec, digest, stored } = arrived;
    let raw = decode_payload(*codec, stored, slice.raw_bytes, MAX_RESULT_BYTES)
        .map_err(|error| error.to_string())?;
    let found = Digest::of(&raw);
    if found != *digest {
        return Err(format!(
            "the bytes have digest {}, announced was {}",
            found.short(),
            digest.short()
        ));
    }
    computation.check(slice, &raw).map_err(|error| format!("the result cannot be right: {error}"))
}
