//! Why a slice is where it is, in words from a closed list.

use std::collections::BTreeMap;

use fulldeck_job::SliceId;

use super::core::Core;
use super::run::Run;
use super::slice::{Phase, SliceState};
use super::trouble::Care;
use super::{Millis, SessionId};
use crate::store::RunControl;

/// Where a slice is and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Slice.
    pub slice: SliceId,
    /// One word of a closed list: see `docs/guide/explain.md`.
    pub code: &'static str,
    /// A sentence.
    pub text: String,
    /// What happened to it before, oldest first.
    pub history: Vec<String>,
}

impl Core {
    /// Why a slice of a run is where it is; `None` if there is no such slice.
    #[must_use]
    pub fn explain(&self, now: Millis, number: u32, slice: SliceId) -> Option<Explanation> {
        let run = self.runs.get(&number)?;
        run.planned(slice)?;
        let (code, text) = match run.state(slice) {
            SliceState::Committed(digest) => {
                ("committed", format!("its result {} is durable", digest.short()))
            }
            SliceState::Committing { .. } => {
                ("storing", "its result is on its way to the disk".to_owned())
            }
            SliceState::Parked => {
                let reason = run.parked.get(&slice).map_or("", String::as_str);
                ("parked", format!("given up until somebody says retry: {reason}"))
            }
            state if state.phase() == Phase::Leased => ("leased", self.explain_leased(now, state)),
            state => self.explain_waiting(now, run, slice, state),
        };
        let history = run.troubles.get(&slice).map(|trouble| trouble.history().collect());
        Some(Explanation { slice, code, text, history: history.unwrap_or_default() })
    }

    /// The slices of a run that are open or given up, those that wait longest first; and how many there are.
    #[must_use]
    pub fn explain_open(&self, now: Millis, number: u32, most: usize) -> (Vec<Explanation>, usize) {
        let Some(run) = self.runs.get(&number) else { return (Vec::new(), 0) };
        let open = || {
            run.plan
                .slices()
                .iter()
                .map(|slice| slice.id)
                .filter(|slice| run.state(*slice).phase() != Phase::Committed)
        };
        let some = open().take(most).filter_map(|slice| self.explain(now, number, slice));
        (some.collect(), open().count())
    }

    /// The first slices that wait although they could be leased, in words.
    pub(super) fn explain_all(&self, now: Millis, most: usize) -> Vec<String> {
        self.runs
            .iter()
            .flat_map(|(number, run)| {
                let waits = |slice: &SliceId| run.state(*slice).phase() == Phase::Waiting;
                let waiting = run.plan.slices().iter().map(|slice| slice.id).filter(waits);
                waiting.map(move |slice| (*number, slice))
            })
            .take(most)
            .filter_map(|(number, slice)| {
                let said = self.explain(now, number, slice)?;
                Some(format!("run {number} slice {}: {} ({})", slice.0, said.text, said.code))
            })
            .collect()
    }

    fn explain_leased(&self, now: Millis, state: SliceState) -> String {
        let attempts: Vec<_> = state
            .holders()
            .iter()
            .filter_map(|key| {
                let attempt = self.attempts.get(&key)?;
                let seconds = now.since(attempt.since).seconds();
                Some(match attempt.session {
                    Some(session) => {
                        let (name, alone) = (self.name_of(session), alone(attempt.care));
                        format!("leased to {name} for {seconds:.0} s{alone}")
                    }
                    None => format!(
                        "held back {:.0} s for a worker of the coordinator's earlier life",
                        attempt.expires.since(now).seconds()
                    ),
                })
            })
            .collect();
        attempts.join(", and ")
    }

    fn explain_waiting(
        &self,
        now: Millis,
        run: &Run,
        slice: SliceId,
        state: SliceState,
    ) -> (&'static str, String) {
        if let Some(reason) = &self.store_failed {
            return ("store_failed", format!("nothing is leased: {reason}"));
        }
        if let Some(reason) = &self.leasing_held {
            return ("little_space", format!("nothing is leased: {reason}"));
        }
        match run.control {
            RunControl::Open => {}
            RunControl::Paused => return ("paused", "the run is paused".to_owned()),
            RunControl::Cancelled => return ("cancelled", "the run was cancelled".to_owned()),
        }
        if !run.is_wanted(slice) {
            return ("other_jobs_first", "only other jobs of the run are computed now".to_owned());
        }
        if let Some(until) = run.held_back(slice, now) {
            let seconds = until.since(now).seconds();
            return ("back_off", format!("it failed and waits {seconds:.0} s before the next try"));
        }
        if self.workers.is_empty() {
            return ("no_workers", "no worker is connected".to_owned());
        }
        let hindered = self.hindered(now, run);
        if hindered.values().sum::<usize>() == self.workers.len() {
            let each: Vec<_> =
                hindered.iter().map(|(why, count)| format!("{count}: {why}")).collect();
            return ("no_worker_fits", format!("no worker may have it; {}", each.join("; ")));
        }
        if let (SliceState::Doubted { .. }, Some(doubt)) = (state, run.doubts.get(&slice)) {
            let votes = doubt.votes().len();
            let what = if doubt.is_dispute() {
                format!("{votes} results differ: a further host has to decide")
            } else {
                format!("{votes} result of {} that have to be equal", self.validation.needed())
            };
            return ("verifying", what);
        }
        match run.care(slice) {
            Care::Together => ("waiting", "it waits for its turn".to_owned()),
            Care::BatchAlone | Care::SliceAlone => {
                ("alone", "it waits for a worker that has nothing else".to_owned())
            }
        }
    }

    /// How many workers may not compute slices of a run, by reason.
    fn hindered(&self, now: Millis, run: &Run) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for worker in self.workers.values() {
            if let Err(hindrance) = self.admits(now, worker, run) {
                *counts.entry(hindrance.text()).or_default() += 1;
            }
        }
        counts
    }

    /// Whether workers are there, but none of them may compute slices of this run.
    pub(super) fn is_stalled(&self, now: Millis, run: &Run) -> bool {
        !self.workers.is_empty()
            && self.hindered(now, run).values().sum::<usize>() == self.workers.len()
    }

    fn name_of(&self, session: SessionId) -> &str {
        self.workers.get(&session).map_or("a worker that left", |one| one.about.name.as_str())
    }
}

const fn alone(care: Care) -> &'static str {
    match care {
        Care::Together => "",
        Care::BatchAlone | Care::SliceAlone => ", alone",
    }
}
