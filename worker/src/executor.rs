//! The bridge between async tasks, which never compute, and computing threads, which never wait.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use fulldeck_job::record::{self, Codec};
use fulldeck_job::{Computation, ComputeContext, ComputeError, Digest, Slice};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use crate::ledger::Control;
use crate::{MAX_THREADS, WorkerError};

/// A finished result, ready for the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    /// Of the raw bytes.
    pub(crate) digest: Digest,
    pub(crate) raw_bytes: u64,
    pub(crate) codec: Codec,
    pub(crate) stored: Bytes,
}

/// Why a call gave no results.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallFailure {
    /// Nobody wants them any more.
    Cancelled,
    /// The computation panicked; its message.
    Panicked(String),
    /// The results cannot be right, or the slices cannot be computed; why.
    Invalid(String),
}

/// A pool of computing threads of its own.
pub(crate) struct Executor {
    pool: ThreadPool,
}

impl Executor {
    pub(crate) fn new(threads: usize) -> Result<Self, WorkerError> {
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(WorkerError::Threads(threads));
        }
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("compute-{index}"))
            .build()
            .map(|pool| Self { pool })
            .map_err(|error| WorkerError::Pool { threads, problem: error.to_string() })
    }

    /// Runs `work` on the pool and waits for it without holding a thread; the message of a panic as error.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let (sender, receiver) = oneshot::channel();
        self.pool.spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message(&*panic));
            // Nobody waits any more when the worker is leaving.
            let _ = sender.send(outcome);
        });
        receiver.await.unwrap_or_else(|_| Err("the computing thread vanished".to_owned()))
    }

    /// Computes slices in one call, checks the results and encodes them: one result for each slice, in order.
    pub(crate) async fn compute(
        &self,
        computation: Arc<dyn Computation>,
        slices: Vec<Slice>,
        control: Arc<Control>,
    ) -> Result<Vec<Finished>, CallFailure> {
        self.run(move || compute(&*computation, &slices, &control))
            .await
            .unwrap_or_else(|message| Err(CallFailure::Panicked(message)))
    }
}

fn compute(
    computation: &dyn Computation,
    slices: &[Slice],
    control: &Control,
) -> Result<Vec<Finished>, CallFailure> {
    let progress = |cost: u64| {
        control.done.fetch_add(cost, Ordering::Relaxed);
    };
    let context = ComputeContext { cancel: &control.cancel, progress: &progress };
    // A call that waited for its turn may be unwanted by now.
    let payloads = context.poll().and_then(|()| computation.compute(slices, &context));
    let payloads = payloads.map_err(|error| match error {
        ComputeError::Cancelled => CallFailure::Cancelled,
        ComputeError::Invalid(why) => CallFailure::Invalid(why),
    })?;
    if payloads.len() != slices.len() {
        return Err(CallFailure::Invalid(format!(
            "{} slices gave {} results",
            slices.len(),
            payloads.len()
        )));
    }
    let pairs: Vec<_> = slices.iter().zip(payloads).collect();
    pairs.into_par_iter().map(|(slice, raw)| finish(computation, slice, &raw)).collect()
}

/// Checks and encodes one result.
fn finish(
    computation: &dyn Computation,
    slice: &Slice,
    raw: &[u8],
) -> Result<Finished, CallFailure> {
    if raw.len() as u64 != slice.raw_bytes {
        return Err(CallFailure::Invalid(format!(
            "slice {} gave {} bytes, the plan says {}",
            slice.id.0,
            raw.len(),
            slice.raw_bytes
        )));
    }
    computation
        .check(slice, raw)
        .map_err(|error| CallFailure::Invalid(format!("slice {}: {error}", slice.id.0)))?;
    let (codec, stored) = record::encode_payload(raw, Codec::Zstd);
    Ok(Finished {
        digest: Digest::of(raw),
        raw_bytes: slice.raw_bytes,
        codec,
        stored: stored.into(),
    })
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::AtomicU32;
    use std::time::Duration;

    use fulldeck_job::{ArtifactSink, CheckError, Estimate, JobIndex, Plan, PlanError, SliceId};

    use super::*;

    /// What the first row of a slice asks of the toy computation.
    const FINE: u32 = 0;
    const PANIC: u32 = 1;
    const PANIC_IN_PARALLEL: u32 = 2;
    const UNTIL_CANCELLED: u32 = 3;
    const TOO_SHORT: u32 = 4;
    const FAILS_CHECK: u32 = 5;
    const TOO_FEW: u32 = 6;

    #[derive(Default)]
    struct Toy {
        calls: AtomicU32,
    }

    impl Computation for Toy {
        fn estimate(&self) -> Estimate {
            unreachable!("not asked by the executor")
        }

        fn plan(&self, _: u32) -> Result<Plan, PlanError> {
            unreachable!("not asked by the executor")
        }

        fn compute(
            &self,
            slices: &[Slice],
            context: &ComputeContext<'_>,
        ) -> Result<Vec<Vec<u8>>, ComputeError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let mut payloads: Vec<_> = slices
                .iter()
                .map(|slice| vec![slice.id.0 as u8; slice.raw_bytes as usize])
                .collect();
            for slice in slices {
                match slice.first_row {
                    PANIC => panic!("seven of a kind"),
                    PANIC_IN_PARALLEL => (0..64u32).into_par_iter().for_each(|index| {
                        assert_ne!(index, 33, "thirty-three");
                    }),
                    UNTIL_CANCELLED => loop {
                        context.poll()?;
                        std::thread::yield_now();
                    },
                    TOO_SHORT => drop(payloads[0].pop()),
                    TOO_FEW => drop(payloads.pop()),
                    _ => (context.progress)(slice.cost),
                }
            }
            Ok(payloads)
        }

        fn check(&self, slice: &Slice, _: &[u8]) -> Result<(), CheckError> {
            if slice.first_row == FAILS_CHECK { Err(CheckError("odd sum".into())) } else { Ok(()) }
        }

        fn assemble(
            &self,
            _: &Plan,
            _: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
            _: &mut dyn ArtifactSink,
        ) -> io::Result<()> {
            unreachable!("not asked by the executor")
        }
    }

    fn slices(asked: &[u32]) -> Vec<Slice> {
        let slice = |(id, first_row): (usize, &u32)| Slice {
            id: SliceId(id as u32),
            job: JobIndex(0),
            first_row: *first_row,
            rows: 1,
            elements: 1,
            raw_bytes: 1000 + id as u64,
            cost: 7,
            batch: 0,
        };
        asked.iter().enumerate().map(slice).collect()
    }

    async fn call(asked: &[u32]) -> Result<Vec<Finished>, CallFailure> {
        let executor = Executor::new(2).unwrap();
        executor.compute(Arc::new(Toy::default()), slices(asked), Arc::default()).await
    }

    #[tokio::test]
    async fn a_batch_is_one_call_with_one_result_for_each_slice() {
        let executor = Executor::new(2).unwrap();
        let toy = Arc::new(Toy::default());
        let batch = slices(&[FINE; 5]);
        let control = Arc::new(Control::new(&batch));
        let computation = Arc::clone(&toy) as Arc<dyn Computation>;
        let results = executor.compute(computation, batch, Arc::clone(&control)).await.unwrap();
        assert_eq!(toy.calls.load(Ordering::Relaxed), 1);
        assert_eq!(control.done.load(Ordering::Relaxed), 35);
        assert_eq!(results.len(), 5);
        for (id, result) in results.iter().enumerate() {
            let raw = vec![id as u8; 1000 + id];
            assert_eq!(result.digest, Digest::of(&raw));
            assert_eq!(result.raw_bytes, raw.len() as u64);
            assert_eq!(result.codec, Codec::Zstd);
            let decoded =
                record::decode_payload(result.codec, &result.stored, result.raw_bytes, 1 << 20);
            assert_eq!(decoded.unwrap(), raw);
        }
    }

    #[tokio::test]
    async fn panics_are_caught_and_the_pool_lives_on() {
        let executor = Executor::new(2).unwrap();
        for (asked, said) in [(PANIC, "seven of a kind"), (PANIC_IN_PARALLEL, "thirty-three")] {
            let toy = Arc::new(Toy::default());
            let outcome = executor.compute(toy, slices(&[FINE, asked]), Arc::default()).await;
            let Err(CallFailure::Panicked(message)) = outcome else { panic!("{outcome:?}") };
            assert!(message.contains(said), "{message}");
        }
        assert_eq!(executor.run(|| 3).await, Ok(3));
    }

    #[tokio::test]
    async fn a_cancelled_call_ends() {
        let executor = Executor::new(1).unwrap();
        let control = Arc::new(Control::default());
        let toy = Arc::new(Toy::default());
        let computing = executor.compute(toy.clone(), slices(&[UNTIL_CANCELLED]), control.clone());
        tokio::pin!(computing);
        while toy.calls.load(Ordering::Relaxed) == 0 {
            let running = tokio::time::timeout(Duration::from_millis(1), &mut computing).await;
            assert!(running.is_err(), "runs until it is cancelled");
        }
        control.cancel();
        assert_eq!(computing.await, Err(CallFailure::Cancelled));
    }

    #[tokio::test]
    async fn a_call_cancelled_before_its_turn_never_begins() {
        let executor = Executor::new(1).unwrap();
        let control = Arc::new(Control::default());
        control.cancel();
        let toy = Arc::new(Toy::default());
        let outcome = executor.compute(toy.clone(), slices(&[FINE]), control).await;
        assert_eq!(outcome, Err(CallFailure::Cancelled));
        assert_eq!(toy.calls.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn results_that_cannot_be_right_are_refused() {
        for (asked, said) in [
            ([TOO_SHORT, FINE], "slice 0 gave 999 bytes, the plan says 1000"),
            ([FINE, FAILS_CHECK], "slice 1: odd sum"),
            ([FINE, TOO_FEW], "2 slices gave 1 results"),
        ] {
            assert_eq!(call(&asked).await, Err(CallFailure::Invalid(said.to_owned())));
        }
    }

    #[test]
    fn senseless_numbers_of_threads_are_refused() {
        for threads in [0, MAX_THREADS + 1] {
            assert!(matches!(Executor::new(threads), Err(WorkerError::Threads(_))));
        }
    }
}
