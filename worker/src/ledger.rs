//! Every attempt the worker holds, from lease to acknowledgement.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use fulldeck_job::{Digest, Fingerprint, Slice, SliceId};
use fulldeck_proto::v1::{self, AttemptPhase, HeldDecision};
use tokio::sync::watch;

use crate::token::Token;

/// Cancel flag and progress of one computing call.
#[derive(Debug, Default)]
pub(crate) struct Control {
    pub(crate) cancel: AtomicBool,
    /// Finished cost, in the unit of the slices' costs.
    pub(crate) done: AtomicU64,
    /// Cost of all slices of the call.
    total: u64,
}

impl Control {
    pub(crate) fn new(slices: &[Slice]) -> Self {
        Self { total: slices.iter().map(|slice| slice.cost).sum(), ..Self::default() }
    }

    pub(crate) fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Share of a slice of cost `cost` in what is done.
    fn share(&self, cost: u64) -> u64 {
        let done = u128::from(self.done.load(Ordering::Relaxed).min(self.total));
        (done * u128::from(cost) / u128::from(self.total.max(1))) as u64
    }
}

#[derive(Clone, Debug)]
enum Phase {
    Queued,
    Computing {
        control: Arc<Control>,
        cost: u64,
    },
    Finished {
        digest: Digest,
        cost: u64,
    },
    /// Being handed back; named until the coordinator has taken it.
    Withdrawn,
}

#[derive(Debug)]
struct Attempt {
    fingerprint: Fingerprint,
    slice: SliceId,
    phase: Phase,
}

/// How many attempts are in which phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) queued: usize,
    pub(crate) computing: usize,
    pub(crate) finished: usize,
    pub(crate) withdrawn: usize,
}

impl Counts {
    pub(crate) fn total(self) -> usize {
        self.queued + self.computing + self.finished + self.withdrawn
    }
}

#[derive(Debug, Default)]
struct Inner {
    /// The registration that answers belong to.
    generation: u64,
    /// Number of the last lease answer of this registration; 0 before the first.
    answer: u64,
    attempts: BTreeMap<Token, Attempt>,
}

/// Every attempt the worker holds. Locked for moments only, so that heartbeats never wait.
#[derive(Debug)]
pub(crate) struct Ledger {
    inner: Mutex<Inner>,
    counts: watch::Sender<Counts>,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self { inner: Mutex::default(), counts: watch::Sender::new(Counts::default()) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the attempts and tells the new counts.
    fn change<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.lock();
        let result = change(&mut inner);
        let mut counts = Counts::default();
        for attempt in inner.attempts.values() {
            match attempt.phase {
                Phase::Queued => counts.queued += 1,
                Phase::Computing { .. } => counts.computing += 1,
                Phase::Finished { .. } => counts.finished += 1,
                Phase::Withdrawn => counts.withdrawn += 1,
            }
        }
        self.counts.send_if_modified(|told| std::mem::replace(told, counts) != counts);
        result
    }

    pub(crate) fn counts(&self) -> Counts {
        *self.counts.borrow()
    }

    /// Waits until the counts fulfil `condition`.
    pub(crate) async fn until(&self, condition: impl FnMut(&Counts) -> bool) {
        let mut counts = self.counts.subscribe();
        counts.wait_for(condition).await.expect("the ledger owns the sender");
    }

    /// Begins a registration: what is held now is offered again, and lease answers of earlier registrations are no
    /// longer taken.
    pub(crate) fn offer(&self, generation: u64) -> Vec<(Token, v1::HeldAttempt)> {
        self.change(|inner| {
            inner.generation = generation;
            inner.answer = 0;
            // A hand-back that was cut off is complete: what is not offered is free again.
            inner.attempts.retain(|_, attempt| !matches!(attempt.phase, Phase::Withdrawn));
            let offered = |(token, attempt): (&Token, &Attempt)| {
                let digest = match attempt.phase {
                    Phase::Finished { digest, .. } => Bytes::copy_from_slice(&digest.0),
                    _ => Bytes::new(),
                };
                let held = v1::HeldAttempt {
                    token: Some(token.to_wire()),
                    fingerprint: Bytes::copy_from_slice(&attempt.fingerprint.0),
                    slice: attempt.slice.0,
                    phase: attempt.wire_phase().into(),
                    digest,
                };
                (*token, held)
            };
            inner.attempts.iter().map(offered).collect()
        })
    }

    /// Obeys the coordinator's decisions about what was offered; returns how many were dropped. A missing or unknown
    /// decision drops: the coordinator does not count on that attempt.
    pub(crate) fn decide(&self, offered: &[Token], decisions: &[i32]) -> usize {
        let dropped = offered.iter().enumerate().filter(|(position, _)| {
            let decision = decisions.get(*position).copied().unwrap_or_default();
            !matches!(
                HeldDecision::try_from(decision),
                Ok(HeldDecision::Keep | HeldDecision::Upload)
            )
        });
        dropped.filter(|(_, token)| self.remove(**token)).count()
    }

    /// Takes the attempts of a lease answer; `None` if the answer belongs to an earlier registration. Attempts that
    /// are held already (an answer sent again) are not returned.
    pub(crate) fn accept(
        &self,
        generation: u64,
        answer: u64,
        leased: Vec<(Token, Fingerprint, SliceId)>,
    ) -> Option<Vec<Token>> {
        self.change(|inner| {
            if inner.generation != generation {
                return None;
            }
            inner.answer = answer;
            let mut fresh = Vec::with_capacity(leased.len());
            for (token, fingerprint, slice) in leased {
                inner.attempts.entry(token).or_insert_with(|| {
                    fresh.push(token);
                    Attempt { fingerprint, slice, phase: Phase::Queued }
                });
            }
            Some(fresh)
        })
    }

    /// Number of the last lease answer of this registration; 0 before the first.
    pub(crate) fn answer(&self) -> u64 {
        self.lock().answer
    }

    /// What a heartbeat says; `None` while another registration is under way.
    pub(crate) fn beat(&self, generation: u64) -> Option<(u64, Vec<v1::AttemptProgress>)> {
        let inner = self.lock();
        (inner.generation == generation).then(|| {
            let progress = |(token, attempt): (&Token, &Attempt)| v1::AttemptProgress {
                token: Some(token.to_wire()),
                phase: attempt.wire_phase().into(),
                cost_done: attempt.cost_done(),
            };
            (inner.answer, inner.attempts.iter().map(progress).collect())
        })
    }

    pub(crate) fn holds(&self, token: Token) -> bool {
        self.lock().attempts.contains_key(&token)
    }

    /// Those of `tokens` that still wait to be computed.
    pub(crate) fn queued_among(&self, tokens: &[Token]) -> Vec<Token> {
        let inner = self.lock();
        let queued = |token: &&Token| {
            inner.attempts.get(token).is_some_and(|held| matches!(held.phase, Phase::Queued))
        };
        tokens.iter().filter(queued).copied().collect()
    }

    /// These attempts are computed from now on, in one call. Those gone in the meantime are ignored; if all are, the
    /// call is cancelled before it begins.
    pub(crate) fn start(&self, call: &[(Token, Slice)], control: &Arc<Control>) {
        self.change(|inner| {
            for (token, slice) in call {
                if let Some(attempt) = inner.attempts.get_mut(token)
                    && matches!(attempt.phase, Phase::Queued)
                {
                    let control = Arc::clone(control);
                    attempt.phase = Phase::Computing { control, cost: slice.cost };
                }
            }
            inner.cancel_if_unwanted(control);
        });
    }

    /// The result is there; false if nobody wants it any more.
    pub(crate) fn finish(&self, token: Token, digest: Digest) -> bool {
        self.change(|inner| match inner.attempts.get_mut(&token) {
            Some(attempt) => match attempt.phase {
                Phase::Computing { cost, .. } => {
                    attempt.phase = Phase::Finished { digest, cost };
                    true
                }
                _ => false,
            },
            None => false,
        })
    }

    /// Forgets an attempt, and cancels the call that computes it unless others need that call; false if it was not
    /// held.
    pub(crate) fn remove(&self, token: Token) -> bool {
        self.change(|inner| inner.remove(token))
    }

    /// Begins to hand back what waits to be computed and, if `computing`, what is being computed. The attempts stay
    /// in the ledger until they are removed.
    pub(crate) fn withdraw(&self, computing: bool) -> Vec<Token> {
        self.change(|inner| {
            let mut withdrawn = Vec::new();
            for (token, attempt) in &mut inner.attempts {
                match &attempt.phase {
                    Phase::Queued => {}
                    Phase::Computing { control, .. } if computing => control.cancel(),
                    _ => continue,
                }
                attempt.phase = Phase::Withdrawn;
                withdrawn.push(*token);
            }
            withdrawn
        })
    }

    /// Forgets everything and cancels every call; returns what was held.
    pub(crate) fn clear(&self) -> Vec<Token> {
        self.change(|inner| {
            let tokens: Vec<_> = inner.attempts.keys().copied().collect();
            for token in &tokens {
                inner.remove(*token);
            }
            tokens
        })
    }
}

impl Inner {
    fn remove(&mut self, token: Token) -> bool {
        let Some(attempt) = self.attempts.remove(&token) else { return false };
        if let Phase::Computing { control, .. } = attempt.phase {
            self.cancel_if_unwanted(&control);
        }
        true
    }

    fn cancel_if_unwanted(&self, control: &Arc<Control>) {
        let wanted = self.attempts.values().any(|attempt| {
            matches!(&attempt.phase, Phase::Computing { control: other, .. } if Arc::ptr_eq(other, control))
        });
        if !wanted {
            control.cancel();
        }
    }
}

impl Attempt {
    fn wire_phase(&self) -> AttemptPhase {
        match self.phase {
            Phase::Finished { .. } => AttemptPhase::Finished,
            _ => AttemptPhase::Computing,
        }
    }

    fn cost_done(&self) -> u64 {
        match &self.phase {
            Phase::Queued | Phase::Withdrawn => 0,
            Phase::Computing { control, cost } => control.share(*cost),
            Phase::Finished { cost, .. } => *cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use fulldeck_job::JobIndex;

    use super::*;
    use crate::token::tests::token;

    fn slice(id: u32, cost: u64) -> Slice {
        Slice {
            id: SliceId(id),
            job: JobIndex(0),
            first_row: id,
            rows: 1,
            elements: 1,
            raw_bytes: 8,
            cost,
            batch: 0,
        }
    }

    /// A ledger of registration 1 that holds attempts 1 to 3, of which 1 and 2 are computed by one call.
    fn ledger() -> (Ledger, Arc<Control>) {
        let ledger = Ledger::new();
        assert!(ledger.offer(1).is_empty());
        let leased = (1..=3)
            .map(|id| (token(id), Fingerprint([1; 32]), SliceId(id as u32)))
            .collect::<Vec<_>>();
        assert_eq!(ledger.accept(1, 5, leased).unwrap().len(), 3);
        let call = [(token(1), slice(1, 10)), (token(2), slice(2, 30))];
        let control = Arc::new(Control::new(&call.map(|(_, slice)| slice)));
        ledger.start(&call, &control);
        (ledger, control)
    }

    fn cancelled(control: &Control) -> bool {
        control.cancel.load(Ordering::Relaxed)
    }

    #[test]
    fn a_heartbeat_names_everything_held_with_its_share_of_the_progress() {
        let (ledger, control) = ledger();
        control.done.store(20, Ordering::Relaxed);
        assert!(ledger.finish(token(2), Digest([0; 32])));
        let (answer, attempts) = ledger.beat(1).unwrap();
        assert_eq!(answer, 5);
        let said: Vec<_> = attempts.iter().map(|said| (said.phase(), said.cost_done)).collect();
        let (computing, finished) = (AttemptPhase::Computing, AttemptPhase::Finished);
        assert_eq!(said, [(computing, 5), (finished, 30), (computing, 0)]);
        assert!(ledger.beat(2).is_none());
    }

    #[test]
    fn a_call_is_cancelled_when_its_last_attempt_goes() {
        let (ledger, control) = ledger();
        assert!(ledger.remove(token(1)));
        assert!(!cancelled(&control));
        assert!(ledger.remove(token(2)));
        assert!(cancelled(&control));
        assert!(!ledger.remove(token(2)));
        assert!(!ledger.finish(token(2), Digest([0; 32])));
        assert_eq!(ledger.counts(), Counts { queued: 1, ..Counts::default() });
    }

    #[test]
    fn a_call_whose_attempts_are_gone_never_begins() {
        let (ledger, _) = ledger();
        ledger.remove(token(3));
        let control = Arc::new(Control::default());
        ledger.start(&[(token(3), slice(3, 1))], &control);
        assert!(cancelled(&control));
    }

    #[test]
    fn an_answer_sent_again_brings_nothing_new_and_an_old_one_nothing_at_all() {
        let (ledger, _) = ledger();
        let again = |id: u64| vec![(token(id), Fingerprint([1; 32]), SliceId(id as u32))];
        assert_eq!(ledger.accept(1, 6, again(3)), Some(vec![]));
        assert_eq!(ledger.accept(0, 9, again(4)), None);
        assert_eq!((ledger.answer(), ledger.counts().total()), (6, 3));
    }

    #[test]
    fn a_registration_offers_what_is_held_and_obeys() {
        let (ledger, control) = ledger();
        ledger.finish(token(1), Digest([9; 32]));
        let offered = ledger.offer(2);
        assert_eq!(ledger.answer(), 0);
        assert_eq!(offered[0].1.digest.as_ref(), [9; 32]);
        let tokens: Vec<_> = offered.iter().map(|(token, _)| *token).collect();
        let decisions = [HeldDecision::Upload as i32, HeldDecision::Drop as i32];
        assert_eq!(ledger.decide(&tokens, &decisions), 2, "a missing decision drops");
        assert!(cancelled(&control));
        assert!(ledger.holds(token(1)) && !ledger.holds(token(3)));
    }

    #[test]
    fn handing_back_cancels_but_names_until_it_is_done() {
        let (ledger, control) = ledger();
        assert_eq!(ledger.withdraw(false), [token(3)]);
        assert!(!cancelled(&control));
        assert!(ledger.queued_among(&[token(3)]).is_empty());
        assert_eq!(ledger.withdraw(true), [token(1), token(2)]);
        assert!(cancelled(&control));
        assert_eq!(ledger.beat(1).unwrap().1.len(), 3);
        assert!(ledger.offer(2).is_empty(), "a hand-back is not offered again");
    }
}
