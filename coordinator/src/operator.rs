//! What a person decides about runs, workers and hosts, and what they ask about a slice.

use fulldeck_job::SliceId;
use fulldeck_proto::v1;

use crate::catalog::RunEntry;
use crate::error::RequestError;
use crate::handle::CoordinatorHandle;
use crate::scheduler::{Event, Explanation, MAX_EXPLAINED, SessionId, WorkerSnapshot};
use crate::status::worker_status;
use crate::store::{Decision, RunControl};
use crate::writer::Task;

/// Longest reason that a person may give, in bytes.
const MAX_REASON: usize = 1_024;
/// Decisions that go into one commit.
const DECISIONS_AT_ONCE: usize = 1_024;

impl CoordinatorHandle {
    /// Opens, pauses or cancels a run; durable when it returns.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown run.
    pub async fn control(
        &self,
        run: &str,
        control: RunControl,
    ) -> Result<v1::RunStatus, RequestError> {
        let entry = self.catalog().find(run)?;
        let decision = match control {
            RunControl::Open => Decision::Open,
            RunControl::Paused => Decision::Pause,
            RunControl::Cancelled => Decision::Cancel,
        };
        let number = entry.number;
        self.decide(number, vec![decision]).await?;
        self.engine().call(move |reply| Event::Control { reply, run: number, control }).await?;
        self.status(run).await
    }

    /// Computes parked slices again, all of them if none is named; answers which.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown run, or a slice that is not parked.
    pub async fn retry(&self, run: &str, slices: &[u32]) -> Result<Vec<u32>, RequestError> {
        let entry = self.catalog().find(run)?;
        let number = entry.number;
        let parked = self.engine().inspect(move |core, _| core.parked(number)).await?;
        if let Some(other) = slices.iter().find(|slice| !parked.contains(&SliceId(**slice))) {
            return Err(RequestError::NotFound(format!(
                "slice {other} of run {number} is not parked; {} are",
                parked.len()
            )));
        }
        let chosen: Vec<SliceId> = match slices {
            [] => parked,
            some => some.iter().map(|slice| SliceId(*slice)).collect(),
        };
        for some in chosen.chunks(DECISIONS_AT_ONCE) {
            let decisions = some.iter().map(|slice| Decision::Retry { slice: *slice }).collect();
            self.decide(number, decisions).await?;
        }
        let retried = chosen.clone();
        self.engine()
            .call(move |reply| Event::Retry { reply, run: number, slices: retried })
            .await?;
        Ok(chosen.into_iter().map(|slice| slice.0).collect())
    }

    /// Why a slice is where it is; without one, the first that are not finished.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown run or slice.
    pub async fn explain(
        &self,
        run: &str,
        slice: Option<u32>,
    ) -> Result<v1::ExplainResponse, RequestError> {
        let entry = self.catalog().find(run)?;
        let number = entry.number;
        let (explanations, unfinished) = match slice {
            Some(slice) => {
                let found = self
                    .engine()
                    .inspect(move |core, now| core.explain(now, number, SliceId(slice)))
                    .await?;
                let last = entry.plan.slices().len().saturating_sub(1);
                let explanation = found.ok_or_else(|| {
                    RequestError::NotFound(format!(
                        "run {number} has no slice {slice}; they go from 0 to {last}"
                    ))
                })?;
                let unfinished = usize::from(explanation.code != "committed");
                (vec![explanation], unfinished)
            }
            None => {
                self.engine()
                    .inspect(move |core, now| core.explain_open(now, number, MAX_EXPLAINED))
                    .await?
            }
        };
        let slices = explanations.into_iter().map(|one| explanation(&entry, one)).collect();
        Ok(v1::ExplainResponse { run: number, slices, unfinished: unfinished as u32 })
    }

    /// Tells a worker, named by its session or name, to take nothing more and to leave.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown worker.
    pub async fn drain(&self, worker: &str) -> Result<v1::WorkerStatus, RequestError> {
        let session = self.worker_named(worker).await?.session;
        self.engine().call(move |reply| Event::Drain { reply, session }).await?;
        Ok(worker_status(self.worker_named(&session.0.to_string()).await?))
    }

    /// Keeps work away from a host, named by its key or by one of its workers; answers its key.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] for an unknown host, [`RequestError::BadInput`] for an endless reason.
    pub async fn quarantine(&self, host: &str, reason: &str) -> Result<String, RequestError> {
        if reason.len() > MAX_REASON {
            let text = format!("the reason is longer than {MAX_REASON} bytes");
            return Err(RequestError::BadInput(text));
        }
        let host_key = self.host_named(host).await?;
        let (key, reason) = (host_key.clone(), reason.to_owned());
        self.engine().call(move |reply| Event::Quarantine { reply, host_key: key, reason }).await?;
        Ok(host_key)
    }

    /// Lets a host in quarantine have work again; answers its key.
    ///
    /// # Errors
    /// [`RequestError::NotFound`] if nothing is kept away from it.
    pub async fn release_host(&self, host: &str) -> Result<String, RequestError> {
        // The workers of a host in quarantine may be gone.
        let host_key = self.host_named(host).await.unwrap_or_else(|_| host.to_owned());
        let key = host_key.clone();
        self.engine().call(move |reply| Event::ReleaseHost { reply, host_key: key }).await?;
        Ok(host_key)
    }

    async fn decide(&self, run: u32, decisions: Vec<Decision>) -> Result<(), RequestError> {
        self.durably(|done| Task::Decide { run, decisions, done }).await
    }

    async fn worker_named(&self, name: &str) -> Result<WorkerSnapshot, RequestError> {
        let workers = self.engine().inspect(|core, now| core.worker_snapshots(now)).await?;
        let session = name.parse().ok().map(SessionId);
        let named =
            |worker: &WorkerSnapshot| Some(worker.session) == session || worker.name == name;
        let known: Vec<_> = workers.iter().map(|worker| worker.name.clone()).take(10).collect();
        let mut found = workers.into_iter().filter(named);
        match (found.next(), found.next()) {
            (Some(worker), None) => Ok(worker),
            (Some(_), Some(_)) => Err(RequestError::BadInput(format!(
                "several workers are called '{name}': give the session, see fulldeck workers"
            ))),
            (None, _) => Err(RequestError::NotFound(match known.len() {
                0 => "no worker is connected".to_owned(),
                _ => format!("there is no worker '{name}', but {}", known.join(", ")),
            })),
        }
    }

    async fn host_named(&self, name: &str) -> Result<String, RequestError> {
        let workers = self.engine().inspect(|core, now| core.worker_snapshots(now)).await?;
        if workers.iter().any(|worker| worker.host_key == name) {
            return Ok(name.to_owned());
        }
        Ok(self.worker_named(name).await?.host_key)
    }
}

fn explanation(entry: &RunEntry, explanation: Explanation) -> v1::Explanation {
    let Explanation { slice, code, text, history } = explanation;
    let job = entry.plan.slice(slice).map(|slice| slice.job.0 as usize);
    let job = job.map(|job| entry.plan.jobs()[job].name.clone()).unwrap_or_default();
    v1::Explanation { slice: slice.0, job, code: code.to_owned(), text, history }
}
