//! What a leased run is about: described by the coordinator, recomputed and compared here.

use std::collections::BTreeMap;
use std::sync::Arc;

use fulldeck_job::{
    Computation, Digest, Fingerprint, MAX_PARAMETER_BYTES, Parameters, Plan, Registry, RunSpec,
};
use fulldeck_proto::v1;
use tokio::sync::Mutex;

use crate::backoff::Backoff;
use crate::client::hopeless;
use crate::executor::Executor;
use crate::link::{Kind, Link};

/// Most runs whose plans are kept; beyond it all are forgotten and asked for again.
const MAX_BOUND_RUNS: usize = 8;

/// A run whose plan this worker has recomputed.
pub(crate) struct BoundRun {
    pub(crate) computation: Arc<dyn Computation>,
    pub(crate) plan: Plan,
}

/// Why slices of a run cannot be computed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunTrouble {
    /// Worker and run are of different versions: the worker must not go on.
    Conflict(String),
    /// The coordinator no longer tells about the run.
    Unknown(String),
}

/// The runs this worker knows.
#[derive(Default)]
pub(crate) struct Runs(Mutex<BTreeMap<(u32, Fingerprint), Arc<BoundRun>>>);

impl Runs {
    /// The run, from memory or from the coordinator; waits for an absent one.
    pub(crate) async fn get(
        &self,
        run: u32,
        fingerprint: Fingerprint,
        link: &Link,
        registry: &Registry,
        executor: &Executor,
    ) -> Result<Arc<BoundRun>, RunTrouble> {
        // Held while asking: others want the same answer.
        let mut known = self.0.lock().await;
        if let Some(bound) = known.get(&(run, fingerprint)) {
            return Ok(Arc::clone(bound));
        }
        let spec = ask(run, link).await?;
        let registry = registry.clone();
        let bound = executor
            .run(move || bind(&registry, &spec, fingerprint))
            .await
            .unwrap_or_else(|panic| Err(format!("run {run} cannot be planned: {panic}")))
            .map_err(RunTrouble::Conflict)?;
        let bound = Arc::new(bound);
        if known.len() >= MAX_BOUND_RUNS {
            known.clear();
        }
        known.insert((run, fingerprint), Arc::clone(&bound));
        Ok(bound)
    }
}

async fn ask(run: u32, link: &Link) -> Result<v1::RunSpec, RunTrouble> {
    let mut backoff = Backoff::default();
    loop {
        let connection = link.registered().await;
        let answer = connection.run_spec(run).await;
        link.report(&connection, Kind::Other, &answer);
        match answer {
            Ok(spec) => return Ok(spec),
            Err(status) if hopeless(&status) => {
                return Err(RunTrouble::Unknown(format!(
                    "the coordinator does not describe run {run}: {}",
                    status.message()
                )));
            }
            Err(_) => tokio::time::sleep(backoff.next(link.timings().reconnect_cap)).await,
        }
    }
}

/// Recomputes the plan; every refusal states both values and what to do.
fn bind(registry: &Registry, spec: &v1::RunSpec, leased: Fingerprint) -> Result<BoundRun, String> {
    let (run, name) = (spec.run, &spec.workload);
    let Some(workload) = registry.get(name) else {
        let known: Vec<_> = registry.iter().map(|workload| workload.name()).collect();
        return Err(format!(
            "run {run} computes '{name}', this worker knows {}: install the same release on both",
            if known.is_empty() { "nothing".to_owned() } else { known.join(", ") }
        ));
    };
    if workload.algorithm_version() != spec.algorithm_version {
        return Err(format!(
            "run {run} computes {name} with algorithm version {}, this worker has {}: install the same release on both",
            spec.algorithm_version,
            workload.algorithm_version()
        ));
    }
    if spec.parameters.len() > MAX_PARAMETER_BYTES {
        return Err(format!(
            "the parameters of run {run} take {} bytes, more than the {MAX_PARAMETER_BYTES} allowed",
            spec.parameters.len()
        ));
    }
    let refused = |problem: &dyn std::fmt::Display| {
        format!(
            "this worker refuses the parameters of run {run}: {problem}: install the same release on both"
        )
    };
    let parameters = Parameters::from_canonical(workload.parameters(), &spec.parameters)
        .map_err(|error| refused(&error))?;
    let computation = workload.prepare(&parameters).map_err(|error| refused(&error))?;
    let own = RunSpec {
        workload: name.clone(),
        algorithm_version: spec.algorithm_version,
        parameters,
        slice_target: spec.slice_target,
    };
    let (told, computed) = (Fingerprint::from_slice(&spec.fingerprint), own.fingerprint());
    for told in [told, Some(leased)] {
        if told != Some(computed) {
            return Err(format!(
                "run {run} has the fingerprint {}, this worker computes {}: install the same release on both",
                told.map_or_else(|| "(malformed)".to_owned(), |told| told.short()),
                computed.short()
            ));
        }
    }
    let plan = computation.plan(spec.slice_target).map_err(|error| refused(&error))?;
    let (told, computed) = (Digest::from_slice(&spec.plan_digest), plan.digest());
    if told != Some(computed) {
        return Err(format!(
            "the plan of run {run} has the digest {}, this worker computes {}: install the same release on both",
            told.map_or_else(|| "(malformed)".to_owned(), |told| told.short()),
            computed.short()
        ));
    }
    Ok(BoundRun { computation, plan })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_workload_is_refused_in_plain_words() {
        let spec = v1::RunSpec { run: 3, workload: "whist".into(), ..v1::RunSpec::default() };
        let refusal = bind(&Registry::default(), &spec, Fingerprint([0; 32])).err();
        assert_eq!(
            refusal.as_deref(),
            Some(
                "run 3 computes 'whist', this worker knows nothing: install the same release on both"
            )
        );
    }
}
