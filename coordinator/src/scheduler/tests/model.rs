//! The scheduler against a naive twin: lists instead of indices, looked through from the start each time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const WORKERS: usize = 3;
const LEASE: u64 = 30_000;

#[derive(Clone, Debug)]
enum Command {
    Register { worker: usize, keep: u8 },
    Lease { worker: usize, slots: u32, arrives: bool },
    Beat { worker: usize, forgets: bool },
    Upload { worker: usize, pick: usize, kind: Kind },
    Fail { worker: usize, pick: usize, counted: bool },
    Release { worker: usize, pick: usize },
    Deregister { worker: usize },
    Wait { ms: u64 },
    Restart { noted: bool },
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Good,
    OtherBytes,
    Foreign,
    OtherRange,
}

fn commands() -> impl Strategy<Value = Vec<Command>> {
    let worker = 0..WORKERS;
    let kind = prop_oneof![
        6 => Just(Kind::Good),
        2 => Just(Kind::OtherBytes),
        1 => Just(Kind::Foreign),
        1 => Just(Kind::OtherRange)
    ];
    let command = prop_oneof![
        2 => (worker.clone(), any::<u8>())
            .prop_map(|(worker, keep)| Command::Register { worker, keep }),
        5 => (worker.clone(), 0..4u32, any::<bool>())
            .prop_map(|(worker, slots, arrives)| Command::Lease { worker, slots, arrives }),
        4 => (worker.clone(), any::<bool>())
            .prop_map(|(worker, forgets)| Command::Beat { worker, forgets }),
        5 => (worker.clone(), 0..64usize, kind)
            .prop_map(|(worker, pick, kind)| Command::Upload { worker, pick, kind }),
        4 => (worker.clone(), 0..64usize, prop::bool::weighted(0.9))
            .prop_map(|(worker, pick, counted)| Command::Fail { worker, pick, counted }),
        1 => (worker.clone(), 0..64usize)
            .prop_map(|(worker, pick)| Command::Release { worker, pick }),
        1 => worker.prop_map(|worker| Command::Deregister { worker }),
        4 => prop_oneof![Just(1), Just(1_000), Just(5_000), Just(15_000), Just(LEASE)]
            .prop_map(|ms| Command::Wait { ms }),
        1 => any::<bool>().prop_map(|noted| Command::Restart { noted }),
    ];
    prop::collection::vec(command, 1..80)
}

#[derive(Clone, Debug)]
struct Attempt {
    token: Token,
    slice: u32,
    session: Option<SessionId>,
    expires: u64,
    answer: u64,
    /// How carefully it was leased: 0 together, 1 with its batch alone, 2 alone.
    care: u8,
}

#[derive(Clone, Debug, Default)]
struct Session {
    heard: u64,
    answers: u64,
    /// Numbers and tokens of answers that may be lost.
    open: Vec<(u64, Vec<Token>)>,
}

/// What the coordinator should believe.
#[derive(Default)]
struct Model {
    now: u64,
    committed: BTreeMap<u32, Digest>,
    parked: BTreeSet<u32>,
    failures: BTreeMap<u32, u8>,
    /// Workers lost with a slice that they did not have alone.
    marks: BTreeMap<u32, u8>,
    came_back: BTreeSet<u32>,
    not_before: BTreeMap<u32, u64>,
    attempts: Vec<Attempt>,
    issued: Vec<(Token, u32)>,
    sessions: BTreeMap<SessionId, Session>,
    mismatched: u64,
}

fn batch_of(slice: u32) -> u32 {
    let mut first = 0;
    for (batch, size) in BATCHES.iter().enumerate() {
        first += size;
        if slice < first {
            return batch as u32;
        }
    }
    panic!("no slice {slice}");
}

fn slices() -> u32 {
    BATCHES.iter().sum()
}

impl Model {
    fn waits(&self, slice: u32) -> bool {
        !self.committed.contains_key(&slice)
            && !self.parked.contains(&slice)
            && self.holders(slice) == 0
    }

    fn holders(&self, slice: u32) -> usize {
        self.attempts.iter().filter(|attempt| attempt.slice == slice).count()
    }

    fn issue(&mut self, token: Token, slice: u32) {
        if !self.issued.iter().any(|(known, _)| *known == token) {
            self.issued.push((token, slice));
        }
        let of_slice = |entry: &&(Token, u32)| entry.1 == slice;
        if self.issued.iter().filter(of_slice).count() > MAX_ATTEMPTS_REMEMBERED {
            let oldest = *self.issued.iter().find(of_slice).unwrap();
            self.issued.retain(|entry| *entry != oldest);
        }
    }

    fn was_issued(&self, token: Token, slice: u32) -> bool {
        self.issued.contains(&(token, slice))
            || self.attempts.iter().any(|one| one.token == token && one.slice == slice)
    }

    fn lose(&mut self, gone: impl Fn(&Attempt) -> bool) {
        let lost: Vec<_> = self.attempts.iter().filter(|one| gone(one)).cloned().collect();
        self.attempts.retain(|one| !gone(one));
        for attempt in lost {
            if self.waits(attempt.slice) {
                self.came_back.insert(batch_of(attempt.slice));
            }
        }
    }

    /// A worker vanished with these. One that had a slice alone says something about the slice.
    fn vanish(&mut self, gone: impl Fn(&Attempt) -> bool) {
        let mut lost: Vec<_> = self.attempts.iter().filter(|one| gone(one)).cloned().collect();
        // In the order in which they expire.
        lost.sort_by_key(|one| (one.expires, one.token));
        for attempt in lost {
            let slice = attempt.slice;
            self.lose(|one| one.token == attempt.token);
            if attempt.care == 2 && attempt.session.is_some() {
                self.count(slice);
            } else {
                *self.marks.entry(slice).or_default() += 1;
            }
        }
    }

    /// A failure of the slice's own.
    fn count(&mut self, slice: u32) {
        let failures = self.failures.entry(slice).or_default();
        *failures += 1;
        let failures = *failures;
        self.after_failure(slice, failures);
    }

    fn after_failure(&mut self, slice: u32, failures: u8) {
        if !self.waits(slice) {
            return;
        }
        if failures >= MAX_FAILURES {
            self.parked.insert(slice);
        } else {
            let seconds = [1, 1, 2, 4][usize::from(failures)];
            let until = self.now + seconds * 1_000;
            let not_before = self.not_before.entry(batch_of(slice)).or_default();
            *not_before = until.max(*not_before);
        }
    }

    fn care(&self, slice: u32) -> u8 {
        let failed = self.failures.get(&slice).is_some_and(|failures| *failures > 0);
        match self.marks.get(&slice).copied().unwrap_or(0) {
            _ if failed => 2,
            marks => marks.min(2),
        }
    }

    fn pass_time(&mut self, ms: u64) {
        self.now += ms;
        let now = self.now;
        self.vanish(|attempt| attempt.expires <= now);
        let lost: Vec<_> = self
            .sessions
            .iter()
            .filter(|(_, session)| session.heard + LEASE <= now)
            .map(|(id, _)| *id)
            .collect();
        for id in lost {
            self.sessions.remove(&id);
            self.vanish(|attempt| attempt.session == Some(id));
        }
    }

    /// What a worker gets next, and how carefully.
    fn next_batch(&self, session: SessionId) -> Option<(Vec<u32>, u8)> {
        let its = || self.attempts.iter().filter(|one| one.session == Some(session));
        if its().any(|one| one.care > 0) {
            return None;
        }
        let waiting = |batch: u32| {
            (0..slices()).filter(move |slice| batch_of(*slice) == batch && self.waits(*slice))
        };
        let mut ready: Vec<u32> = (0..BATCHES.len() as u32)
            .filter(|batch| self.not_before.get(batch).is_none_or(|until| *until <= self.now))
            .filter(|batch| waiting(*batch).next().is_some())
            .collect();
        ready.sort_by_key(|batch| (!self.came_back.contains(batch), *batch));
        for batch in ready {
            let care = waiting(batch).map(|slice| self.care(slice)).min().unwrap();
            if care == 0 || its().next().is_none() {
                let most = if care == 2 { 1 } else { usize::MAX };
                let chosen = waiting(batch).filter(|slice| self.care(*slice) == care).take(most);
                return Some((chosen.collect(), care));
            }
        }
        None
    }

    fn reclaim(&mut self, session: SessionId, token: Token, slice: u32) -> bool {
        let expires = self.now + LEASE;
        if let Some(attempt) = self.attempts.iter_mut().find(|attempt| attempt.token == token) {
            attempt.session = Some(session);
            attempt.expires = expires;
            attempt.answer = 0;
            return true;
        }
        let open = !self.committed.contains_key(&slice) && !self.parked.contains(&slice);
        if !open || self.holders(slice) == 2 {
            return false;
        }
        let session = Some(session);
        self.attempts.push(Attempt { token, slice, session, expires, answer: 0, care: 0 });
        true
    }
}

/// A worker as a test plays it: what it holds, whether the coordinator remembers it or not.
#[derive(Clone, Debug, Default)]
struct Player {
    session: Option<SessionId>,
    held: Vec<Lease>,
    received: u64,
}

struct Game {
    world: World,
    model: Model,
    players: Vec<Player>,
    /// Every lease that ever reached a worker.
    seen: Vec<Lease>,
}

impl Game {
    fn new() -> Self {
        Self {
            world: World::with_run(&BATCHES),
            model: Model::default(),
            players: vec![Player::default(); WORKERS],
            seen: Vec::new(),
        }
    }

    /// The worker's session if the coordinator should know it; if it should not, a call must say so.
    fn session(&mut self, worker: usize) -> Option<SessionId> {
        let session = self.players[worker].session?;
        if let Some(known) = self.model.sessions.get_mut(&session) {
            known.heard = self.model.now;
            return Some(session);
        }
        let reply = self.world.try_lease(session, 1, 0);
        assert_eq!(reply, Reply::Refused(Refusal::Stale));
        self.players[worker].session = None;
        None
    }

    fn play(&mut self, command: Command) {
        match command {
            Command::Register { worker, keep } => self.register(worker, keep),
            Command::Lease { worker, slots, arrives } => self.lease(worker, slots, arrives),
            Command::Beat { worker, forgets } => self.beat(worker, forgets),
            Command::Upload { worker, pick, kind } => self.upload(worker, pick, kind),
            Command::Fail { worker, pick, counted } => self.fail(worker, pick, counted),
            Command::Release { worker, pick } => self.release(worker, pick),
            Command::Deregister { worker } => {
                if let Some(session) = self.session(worker) {
                    let caller = self.world.caller(session);
                    self.world.call(|reply| Event::Deregister { reply, caller });
                    self.model.sessions.remove(&session);
                    self.model.lose(|attempt| attempt.session == Some(session));
                    self.players[worker].session = None;
                }
            }
            Command::Wait { ms } => {
                self.world.wait(ms);
                self.model.pass_time(ms);
            }
            Command::Restart { noted } => self.restart(noted),
        }
        self.compare();
    }

    fn register(&mut self, worker: usize, keep: u8) {
        let mut position = 0;
        self.players[worker].held.retain(|_| {
            position += 1;
            keep >> (position % 8) & 1 == 0
        });
        let held: Vec<_> = self.players[worker]
            .held
            .iter()
            .map(|lease| Held {
                token: lease.token,
                fingerprint: lease.fingerprint,
                slice: lease.slice,
                finished: (lease.token.sequence % 2 == 0).then(|| digest(lease.slice, 0)),
            })
            .collect();
        let reply = self.world.try_register(held.clone());
        let Reply::Registered { session, held: verdicts } = reply else { panic!("{reply:?}") };
        let now = self.model.now;
        self.model.sessions.insert(session, Session { heard: now, ..Session::default() });
        let leases = std::mem::take(&mut self.players[worker].held);
        let mut kept = Vec::new();
        for ((held, verdict), lease) in held.iter().zip(verdicts).zip(leases) {
            let expected = self.held_verdict(session, held);
            assert_eq!(verdict, expected, "{held:?}");
            if verdict != HeldVerdict::Drop {
                kept.push(lease);
            }
        }
        self.players[worker] = Player { session: Some(session), held: kept, received: 0 };
    }

    fn held_verdict(&mut self, session: SessionId, held: &Held) -> HeldVerdict {
        let slice = held.slice.0;
        if let Some(committed) = self.model.committed.get(&slice) {
            return match held.finished {
                Some(digest) if digest != *committed => HeldVerdict::Upload,
                _ => HeldVerdict::Drop,
            };
        }
        if !self.model.was_issued(held.token, slice) {
            if held.token.epoch == self.world.epoch {
                return HeldVerdict::Drop;
            }
            self.model.issue(held.token, slice);
        }
        let kept = self.model.reclaim(session, held.token, slice);
        match held.finished {
            Some(_) => HeldVerdict::Upload,
            None if kept => HeldVerdict::Keep,
            None => HeldVerdict::Drop,
        }
    }

    fn lease(&mut self, worker: usize, slots: u32, arrives: bool) {
        let Some(session) = self.session(worker) else { return };
        let received = self.players[worker].received;
        let (answer, leases, all_done) = leased(self.world.try_lease(session, slots, received));
        // Lost answers again, then new batches.
        let mut open = self.model.sessions[&session].open.clone();
        open.retain(|(number, _)| *number > received);
        let expires = self.model.now + LEASE;
        let mut expected = Vec::new();
        for token in open.iter().flat_map(|(_, tokens)| tokens) {
            let attempt = self.model.attempts.iter_mut().find(|one| one.token == *token);
            if let Some(attempt) = attempt.filter(|one| one.session == Some(session)) {
                attempt.expires = expires;
                attempt.answer = answer;
                expected.push(attempt.slice);
            }
        }
        let used: BTreeSet<_> = expected.iter().map(|slice| batch_of(*slice)).collect();
        for lease in &leases[..expected.len()] {
            assert!(self.model.attempts.iter().any(|one| one.token == lease.token));
        }
        for _ in used.len()..slots as usize {
            let Some((batch, care)) = self.model.next_batch(session) else { break };
            for slice in batch {
                let token = leases[expected.len()].token;
                assert!(!self.model.issued.iter().any(|(known, _)| *known == token), "used twice");
                expected.push(slice);
                self.model.issue(token, slice);
                let session = Some(session);
                let attempt = Attempt { token, slice, session, expires, answer, care };
                self.model.attempts.push(attempt);
            }
        }
        assert_eq!(ids(&leases), expected);
        let left = |slice| {
            !self.model.committed.contains_key(&slice) && !self.model.parked.contains(&slice)
        };
        assert_eq!(all_done, leases.is_empty() && !(0..slices()).any(left));
        let known = self.model.sessions.get_mut(&session).unwrap();
        known.answers = answer;
        known.open = vec![(answer, leases.iter().map(|lease| lease.token).collect())];
        if arrives {
            let player = &mut self.players[worker];
            player.received = answer;
            for lease in leases {
                if !player.held.iter().any(|held| held.token == lease.token) {
                    player.held.push(lease);
                }
                self.seen.push(lease);
            }
        }
    }

    fn beat(&mut self, worker: usize, forgets: bool) {
        if forgets {
            self.players[worker].held.pop();
        }
        let Some(session) = self.session(worker) else { return };
        let Player { held, received, .. } = self.players[worker].clone();
        let cancel = self.world.beat(session, received, &held);
        let mut expected = Vec::new();
        for lease in &held {
            let (token, slice) = (lease.token, lease.slice.0);
            let now = self.model.now;
            match self.model.attempts.iter_mut().find(|attempt| attempt.token == token) {
                Some(attempt) if attempt.session == Some(session) => attempt.expires = now + LEASE,
                Some(attempt) if attempt.session.is_some() => expected.push(token),
                _ => {
                    let issued = self.model.was_issued(token, slice);
                    if !(issued && self.model.reclaim(session, token, slice)) {
                        expected.push(token);
                    }
                }
            }
        }
        assert_eq!(cancel, expected);
        let known = self.model.sessions.get_mut(&session).unwrap();
        known.open.retain(|(number, _)| *number > received);
        let named: Vec<_> = held.iter().map(|lease| lease.token).collect();
        self.model.lose(|attempt| {
            attempt.session == Some(session)
                && attempt.answer <= received
                && !named.contains(&attempt.token)
        });
        self.players[worker].held.retain(|lease| !cancel.contains(&lease.token));
    }

    /// Any lease that was ever seen: current, late, of an earlier life, of somebody else.
    fn pick(&self, pick: usize) -> Option<Lease> {
        (!self.seen.is_empty()).then(|| self.seen[pick % self.seen.len()])
    }

    fn upload(&mut self, worker: usize, pick: usize, kind: Kind) {
        let Some(lease) = self.pick(pick) else { return };
        let Some(session) = self.session(worker) else { return };
        let slice = lease.slice.0;
        let good = self.world.offer_of(lease.token, lease.slice, 0);
        let offer = match kind {
            Kind::Good => good,
            Kind::OtherBytes => Offer { digest: digest(lease.slice, 1), ..good },
            Kind::Foreign => Offer { token: Token { start_id: 1, ..lease.token }, ..good },
            Kind::OtherRange => Offer { first_row: good.first_row + 1, ..good },
        };
        let reply = self.world.upload(session, offer);
        let expected = match (kind, self.model.committed.get(&slice)) {
            (Kind::Foreign, _) => Outcome::Fenced,
            (Kind::OtherRange, _) => Outcome::WrongRun,
            (_, Some(committed)) if *committed == offer.digest => Outcome::Duplicate,
            (_, Some(committed)) => {
                self.model.mismatched += 1;
                Outcome::Mismatch { committed: *committed }
            }
            (_, None) if !self.model.was_issued(lease.token, slice) => Outcome::Fenced,
            (_, None) => {
                let late = !self.model.attempts.iter().any(|one| one.token == lease.token);
                self.model.committed.insert(slice, offer.digest);
                self.model.parked.remove(&slice);
                self.model.attempts.retain(|attempt| attempt.slice != slice);
                self.model.issued.retain(|(_, issued)| *issued != slice);
                Outcome::Committed { late }
            }
        };
        assert_eq!(reply, Reply::Outcome(expected));
    }

    fn fail(&mut self, worker: usize, pick: usize, counted: bool) {
        let Some(lease) = self.pick(pick) else { return };
        let Some(session) = self.session(worker) else { return };
        let failure = if counted { Failure::Panic } else { Failure::Refused };
        self.world.fail(session, &lease, failure);
        let slice = lease.slice.0;
        let current = |one: &Attempt| one.token == lease.token && one.session == Some(session);
        if !self.model.attempts.iter().any(current) {
            return;
        }
        self.model.lose(current);
        if counted {
            self.model.count(slice);
        } else {
            let failures = self.model.failures.get(&slice).copied().unwrap_or(0);
            self.model.after_failure(slice, failures);
        }
    }

    fn release(&mut self, worker: usize, pick: usize) {
        let Some(lease) = self.pick(pick) else { return };
        let Some(session) = self.session(worker) else { return };
        let caller = self.world.caller(session);
        let tokens = vec![lease.token];
        self.world.call(|reply| Event::Release { reply, caller, tokens });
        self.model.lose(|one| one.token == lease.token && one.session == Some(session));
    }

    /// A new life on the same store, which may or may not have noted the leases.
    fn restart(&mut self, noted: bool) {
        let mut world = World::new(self.world.epoch + 1);
        let mut unconfirmed: Vec<_> =
            if noted { std::mem::take(&mut self.model.attempts) } else { Vec::new() };
        unconfirmed.sort_by_key(|attempt| attempt.token);
        // The store has one place a slice: a second holder of the same slice is not held back for.
        let mut taken = BTreeSet::new();
        unconfirmed.retain(|attempt| taken.insert(attempt.slice));
        world.step(Event::RunAdded(RunSeed {
            committed: self
                .model
                .committed
                .iter()
                .map(|(slice, digest)| (SliceId(*slice), *digest))
                .collect(),
            unconfirmed: unconfirmed
                .iter()
                .map(|attempt| (SliceId(attempt.slice), attempt.token))
                .collect(),
            ..seed(1, &plan(&BATCHES))
        }));
        self.model = Model {
            committed: std::mem::take(&mut self.model.committed),
            issued: unconfirmed.iter().map(|one| (one.token, one.slice)).collect(),
            attempts: unconfirmed
                .into_iter()
                .map(|one| Attempt { session: None, expires: LEASE, answer: 0, care: 0, ..one })
                .collect(),
            ..Model::default()
        };
        self.world = world;
    }

    fn compare(&self) {
        let snapshot = self.world.snapshot();
        let sum = |of: fn(&JobSnapshot) -> u32| snapshot.jobs.iter().map(of).sum::<u32>() as usize;
        assert_eq!(sum(|job| job.committed), self.model.committed.len());
        assert_eq!(sum(|job| job.parked), self.model.parked.len());
        assert_eq!(snapshot.mismatched, self.model.mismatched);
        let leased: BTreeSet<_> = self.model.attempts.iter().map(|one| one.slice).collect();
        assert_eq!(sum(|job| job.leased), leased.len());
        assert_eq!(self.world.core.workers.len(), self.model.sessions.len());
        for (slice, digest) in &self.model.committed {
            let state = self.world.core.runs[&1].state(SliceId(*slice));
            assert_eq!(state, super::super::slice::SliceState::Committed(*digest));
        }
    }

    /// Once faults stop, every run ends.
    fn finish(&mut self) {
        self.world.wait(LEASE);
        self.world.wait(60_000);
        let session = self.world.register();
        loop {
            let leases = self.world.lease(session, 9);
            if leases.is_empty() {
                break;
            }
            for lease in leases {
                assert_eq!(self.world.commit(session, &lease), COMMITTED);
            }
        }
        let phase = self.world.snapshot().phase;
        assert!(matches!(phase, RunPhase::Finished | RunPhase::FinishedWithParked), "{phase:?}");
    }
}

/// Stories of up to eighty commands; more by `FULLDECK_CASES`.
fn cases() -> u32 {
    std::env::var("FULLDECK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn the_core_does_what_its_naive_twin_does(commands in commands()) {
        let mut game = Game::new();
        for command in commands {
            game.play(command);
        }
        game.finish();
    }
}
