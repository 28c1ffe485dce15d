//! What a person may ask of a coordinator: the operations behind the AdminService and the embedded `run`.

use std::path::PathBuf;
use std::sync::Arc;

use fulldeck_artifact::{DirectorySource, Manifest};
use fulldeck_job::{JobIndex, MAX_PARAMETER_BYTES, Parameters, Plan, Registry, RunSpec, SliceId};
use fulldeck_proto::v1;
use tokio::sync::{Mutex, oneshot};

use crate::catalog::{Catalog, RunEntry};
use crate::engine::Engine;
use crate::error::RequestError;
use crate::merge::{Merge, MergeError, merged_before};
use crate::scheduler::{Event, MAX_RUNS, RunPhase};
use crate::space::{self, SpaceOptions};
use crate::status::{run_status, worker_status};
use crate::store::{Decided, ResultReader, RunControl};
use crate::writer::{Task, Writer};

/// Runs that a list of all runs shows with their jobs: it has to fit in one message.
const MAX_DETAILED_RUNS: usize = 100;
/// Most words of a question, and most bytes of all of them.
const MAX_QUESTION: (usize, usize) = (64, 4 << 10);

/// The operations of a running coordinator. Cheap to clone; outlives the coordinator, and then answers
/// [`RequestError::Unavailable`].
#[derive(Clone)]
pub struct CoordinatorHandle(Arc<Inner>);

struct Inner {
    data_dir: PathBuf,
    registry: Registry,
    catalog: Arc<Catalog>,
    engine: Engine,
    /// Gone once the coordinator ends, so that the store can be closed.
    writer: std::sync::Mutex<Option<Arc<Writer>>>,
    reader: ResultReader,
    space: SpaceOptions,
    /// One submission at a time: each gets a number of its own.
    submitting: Mutex<()>,
}

impl CoordinatorHandle {
    pub(crate) fn new(
        data_dir: PathBuf,
        registry: Registry,
        catalog: Arc<Catalog>,
        engine: Engine,
        writer: Arc<Writer>,
        reader: ResultReader,
        space: SpaceOptions,
    ) -> Self {
        let writer = std::sync::Mutex::new(Some(writer));
        let submitting = Mutex::default();
        Self(Arc::new(Inner {
            data_dir,
            registry,
            catalog,
            engine,
            writer,
            reader,
            space,
            submitting,
        }))
    }

    /// Submits a run; one with the same fingerprint is the same run, and keeps the plan it has.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown workload, [`RequestError::BadInput`] for its parameters,
    /// [`RequestError::Halted`] if its results are not expected to fit on the disk, or while the store has failed.
    pub async fn submit(
        &self,
        workload: &str,
        parameters: &[String],
        slice_target: u32,
    ) -> Result<v1::SubmitResponse, RequestError> {
        let _one_at_a_time = self.0.submitting.lock().await;
        let (spec, existing) = self.specify(workload, parameters, slice_target)?;
        if let Some(entry) = existing {
            self.reopen_cancelled(&entry).await?;
            return Ok(response(&entry, true));
        }
        let all = self.0.catalog.all();
        if all.len() >= MAX_RUNS {
            return Err(RequestError::Exhausted(format!(
                "the store holds {MAX_RUNS} runs, that is the most; use another data folder"
            )));
        }
        let number = all.last().map_or(0, |entry| entry.number) + 1;
        self.check_store()?;
        let entry = Arc::new(self.plan(number, spec).await?);
        self.0.space.admit(&self.0.data_dir, &entry.computation.estimate())?;
        let record = entry.record();
        self.durably(|done| Task::Run { record, done }).await?;
        self.0.catalog.insert(Arc::clone(&entry));
        self.0.engine.tell(Event::RunAdded(entry.seed(&[], Decided::default()))).await?;
        // Before anybody asks for work.
        space::look(&self.0.engine, &self.0.data_dir, &self.0.space).await;
        tracing::info!(run = number, workload, slices = entry.plan.slices().len(), "run submitted");
        Ok(response(&entry, false))
    }

    /// Whoever submits a cancelled run wants it after all.
    async fn reopen_cancelled(&self, entry: &RunEntry) -> Result<(), RequestError> {
        let number = entry.number;
        let snapshot =
            self.0.engine.inspect(move |core, now| core.run_snapshot(now, number)).await?;
        if snapshot.is_some_and(|snapshot| snapshot.phase == RunPhase::Cancelled) {
            self.control(&number.to_string(), RunControl::Open).await?;
        }
        Ok(())
    }

    /// What [`CoordinatorHandle::submit`] would do: run number 0 if the run is not there yet.
    ///
    /// # Errors
    /// As [`CoordinatorHandle::submit`].
    pub async fn dry_run(
        &self,
        workload: &str,
        parameters: &[String],
        slice_target: u32,
    ) -> Result<v1::SubmitResponse, RequestError> {
        match self.specify(workload, parameters, slice_target)? {
            (_, Some(entry)) => Ok(response(&entry, true)),
            (spec, None) => Ok(response(&self.plan(0, spec).await?, false)),
        }
    }

    /// Leases only slices of these jobs of a run from now on; of all jobs if none is named.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown run, [`RequestError::BadInput`] for an unknown job.
    pub async fn focus(&self, run: u32, jobs: &[String]) -> Result<(), RequestError> {
        let entry = self.0.catalog.find(&run.to_string())?;
        let jobs = jobs.iter().map(|name| entry.job_named(name)).collect::<Result<_, _>>()?;
        self.0.engine.call(move |reply| Event::Focus { reply, run, jobs }).await?;
        Ok(())
    }

    /// A run, named by number, `last`, or the first digits of its fingerprint.
    ///
    /// # Errors
    /// [`RequestError::NotFound`].
    pub async fn status(&self, run: &str) -> Result<v1::RunStatus, RequestError> {
        let entry = self.0.catalog.find(run)?;
        self.status_of(&entry).await
    }

    /// All runs, by number; of the oldest without their jobs if there are many.
    ///
    /// # Errors
    /// [`RequestError::Unavailable`].
    pub async fn runs(&self) -> Result<Vec<v1::RunStatus>, RequestError> {
        let all = self.0.catalog.all();
        let brief = all.len().saturating_sub(MAX_DETAILED_RUNS);
        let mut runs = Vec::with_capacity(all.len());
        for (position, entry) in all.iter().enumerate() {
            let mut status = self.status_of(entry).await?;
            if position < brief {
                status.jobs.clear();
                status.parked_slices.clear();
            }
            runs.push(status);
        }
        Ok(runs)
    }

    async fn status_of(&self, entry: &RunEntry) -> Result<v1::RunStatus, RequestError> {
        let number = entry.number;
        let snapshot =
            self.0.engine.inspect(move |core, now| core.run_snapshot(now, number)).await?;
        let snapshot = snapshot.ok_or_else(|| {
            RequestError::Unavailable(format!("run {number} is being submitted; try again"))
        })?;
        Ok(run_status(entry, snapshot))
    }

    /// All workers, by session.
    ///
    /// # Errors
    /// [`RequestError::Unavailable`].
    pub async fn workers(&self) -> Result<Vec<v1::WorkerStatus>, RequestError> {
        let workers = self.0.engine.inspect(|core, now| core.worker_snapshots(now)).await?;
        Ok(workers.into_iter().map(worker_status).collect())
    }

    /// Merges a finished run; at once if that was done before, unless it is to be done `again`.
    ///
    /// # Errors
    /// [`RequestError::Incomplete`] with the holes, [`RequestError::Damaged`] with the slice that is computed again.
    pub async fn merge(
        &self,
        run: &str,
        job: Option<&str>,
        again: bool,
    ) -> Result<v1::MergeResponse, RequestError> {
        let entry = self.0.catalog.find(run)?;
        self.refuse_doubted(&entry).await?;
        let index = job.map(|name| entry.job_named(name)).transpose()?;
        let artifact = entry.artifact_of(job);
        let job = job.map(str::to_owned);
        let guard = Arc::clone(&entry.merging).lock_owned().await;
        let (reader, merging, place) =
            (self.0.reader.clone(), Arc::clone(&entry), artifact.clone());
        // A caller that goes away does not end the merge; the next one waits for it.
        let merged = blocking(move || {
            let _guard = guard;
            let done = match again {
                true => None,
                false => merged_before(&place, &merging.spec, job.as_deref()),
            };
            done.map_or_else(|| merge_entry(&merging, index, &reader), Ok)
        })
        .await?;
        match merged {
            Ok(manifest) => Ok(v1::MergeResponse {
                path: artifact.display().to_string(),
                manifest_json: manifest.to_json(),
            }),
            Err(MergeError::Damaged { slice, .. }) => {
                let error = merged.err().map(|error| error.to_string()).unwrap_or_default();
                self.discard(&entry, slice).await?;
                Err(RequestError::Damaged(format!(
                    "{error}; the slice will be computed again, then merge again"
                )))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Results that wait for an equal one of another host are not merged.
    async fn refuse_doubted(&self, entry: &RunEntry) -> Result<(), RequestError> {
        let number = entry.number;
        let doubted = self.0.engine.inspect(move |core, _| core.doubted(number)).await?;
        match doubted {
            0 => Ok(()),
            _ => Err(RequestError::Incomplete(format!(
                "{doubted} results of run {number} count only once another host has found the same; \
                 see fulldeck explain {number}"
            ))),
        }
    }

    /// Gives up a result that proved damaged.
    async fn discard(&self, entry: &RunEntry, slice: SliceId) -> Result<(), RequestError> {
        let run = entry.number;
        self.durably(|done| Task::Discard { run, slice, done }).await?;
        entry.forget(slice);
        self.0.engine.tell(Event::Discarded { run, slice }).await?;
        tracing::error!(run, slice = slice.0, "a stored result was damaged and is given up");
        Ok(())
    }

    /// Asks the artifact of a merged run, or of one job of it; the answer is a JSON object.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] before the run is merged, [`RequestError::BadInput`] for the question.
    pub async fn query(
        &self,
        run: &str,
        job: Option<&str>,
        question: &[String],
    ) -> Result<String, RequestError> {
        let bytes: usize = question.iter().map(String::len).sum();
        if question.len() > MAX_QUESTION.0 || bytes > MAX_QUESTION.1 {
            return Err(RequestError::BadInput(format!(
                "the question is longer than {} words or {} bytes",
                MAX_QUESTION.0, MAX_QUESTION.1
            )));
        }
        let entry = self.0.catalog.find(run)?;
        job.map(|name| entry.job_named(name)).transpose()?;
        let (artifact, question) = (entry.artifact_of(job), question.to_vec());
        blocking(move || {
            let source = DirectorySource::open(&artifact)?;
            let answer = entry.computation.query(&source, &question)?;
            Ok(serde_json::Value::Object(answer).to_string())
        })
        .await?
    }

    /// Reads what a submission means; the run that has this fingerprint already, if there is one.
    fn specify(
        &self,
        name: &str,
        words: &[String],
        slice_target: u32,
    ) -> Result<(RunSpec, Option<Arc<RunEntry>>), RequestError> {
        let workload = self.0.registry.get(name).ok_or_else(|| {
            let known: Vec<_> = self.0.registry.iter().map(|workload| workload.name()).collect();
            RequestError::NotFound(format!(
                "there is no workload '{name}'; this coordinator knows {}",
                known.join(", ")
            ))
        })?;
        if words.iter().map(String::len).sum::<usize>() > MAX_PARAMETER_BYTES {
            return Err(RequestError::BadInput(format!(
                "the parameters are longer than {MAX_PARAMETER_BYTES} bytes"
            )));
        }
        let spec = RunSpec {
            workload: workload.name().to_owned(),
            algorithm_version: workload.algorithm_version(),
            parameters: Parameters::parse(workload.parameters(), words)?,
            slice_target,
        };
        let existing = self.0.catalog.of_fingerprint(spec.fingerprint());
        Ok((spec, existing))
    }

    async fn plan(&self, number: u32, spec: RunSpec) -> Result<RunEntry, RequestError> {
        let (data_dir, registry) = (self.0.data_dir.clone(), self.0.registry.clone());
        blocking(move || {
            let workload = registry.get(&spec.workload).ok_or_else(|| {
                RequestError::Internal(format!("the workload '{}' is gone", spec.workload))
            })?;
            let computation = workload.prepare(&spec.parameters)?;
            let plan: Plan = computation.plan(spec.slice_target)?;
            Ok(RunEntry::new(&data_dir, number, spec, plan, computation))
        })
        .await?
    }

    /// Hands a change to the writer and waits until it is durable.
    pub(crate) async fn durably(
        &self,
        task: impl FnOnce(oneshot::Sender<Result<(), Arc<crate::store::StoreError>>>) -> Task,
    ) -> Result<(), RequestError> {
        let busy =
            || RequestError::Unavailable("the store is busy or closed; try again".to_owned());
        let (done, outcome) = oneshot::channel();
        let writer = self.writer().ok_or_else(busy)?;
        writer.submit(task(done)).map_err(|_| busy())?;
        drop(writer);
        Ok(outcome.await.map_err(|_| busy())??)
    }

    fn writer(&self) -> Option<Arc<Writer>> {
        self.0.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Lets go of the store.
    pub(crate) fn close(&self) {
        self.0.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    }

    /// Nothing can be submitted while the store has failed.
    fn check_store(&self) -> Result<(), RequestError> {
        match &*self.0.engine.failed().borrow() {
            Some(reason) => Err(RequestError::Halted(reason.clone())),
            None => Ok(()),
        }
    }

    /// Waits until the store fails, and says why. Nothing that was acknowledged is lost; the coordinator answers
    /// questions, but takes nothing more until it could open the store again.
    pub async fn store_failed(&self) -> String {
        reason(self.0.engine.failed()).await
    }

    /// Waits until the store has not failed, or goes on after it did. Never, if the coordinator ends before.
    pub async fn store_serves(&self) {
        if self.0.engine.failed().wait_for(Option::is_none).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until nothing more is leased for want of space, and says why.
    pub async fn leasing_held(&self) -> String {
        reason(self.0.engine.held()).await
    }

    /// Why the store has failed, if it has.
    pub(crate) fn failure(&self) -> Option<String> {
        self.0.engine.failed().borrow().clone()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }
}

/// Waits for a reason.
async fn reason(mut state: tokio::sync::watch::Receiver<Option<String>>) -> String {
    match state.wait_for(Option::is_some).await {
        Ok(reason) => reason.clone().unwrap_or_default(),
        Err(_) => "the scheduler ended".to_owned(),
    }
}

fn merge_entry(
    entry: &RunEntry,
    job: Option<JobIndex>,
    reader: &ResultReader,
) -> Result<Manifest, MergeError> {
    let merge = Merge {
        reader,
        record: &entry.record(),
        spec: &entry.spec,
        plan: &entry.plan,
        committed: &entry.committed(),
        computation: entry.computation.as_ref(),
        job,
    };
    Ok(merge.into_folder(&entry.artifacts)?.1)
}

fn response(entry: &RunEntry, existed: bool) -> v1::SubmitResponse {
    v1::SubmitResponse {
        spec: Some(entry.message()),
        existed,
        slices: entry.plan.slices().len() as u32,
        jobs: entry.plan.jobs().len() as u32,
    }
}

/// Runs what may take long, or wait for a disk, off the async threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RequestError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| RequestError::Internal(format!("the request failed: {error}")))
}
