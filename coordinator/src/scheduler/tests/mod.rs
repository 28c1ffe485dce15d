//! The scheduler under test: a small plan, and calls with their answers in one step.

mod checking;
mod control;
mod import;
mod model;
mod simulation;
mod stories;
mod trouble;

use std::collections::BTreeSet;
use std::sync::Arc;

use fulldeck_job::{Digest, Fingerprint, Job, JobIndex, Plan, Slice, SliceId};

use super::*;
use crate::store::{Decided, Decision, RunControl};

/// Sizes of the batches; the jobs take turns slice by slice, so that batches reach across jobs.
const BATCHES: [u32; 5] = [3, 2, 4, 1, 2];
const JOBS: u32 = 2;
const STORE: [u8; 16] = [9; 16];

fn plan(batches: &[u32]) -> Arc<Plan> {
    let mut slices = Vec::new();
    let mut rows = [0; JOBS as usize];
    for (batch, size) in batches.iter().enumerate() {
        for _ in 0..*size {
            let id = slices.len() as u32;
            let job = id % JOBS;
            slices.push(Slice {
                id: SliceId(id),
                job: JobIndex(job),
                first_row: rows[job as usize],
                rows: 1,
                elements: 1,
                raw_bytes: 8,
                cost: 10 + u64::from(id),
                batch: batch as u32 * 7,
            });
            rows[job as usize] += 1;
        }
    }
    let jobs = (0..JOBS)
        .map(|job| Job {
            name: format!("job{job}"),
            family: String::new(),
            rows: rows[job as usize],
        })
        .collect();
    Arc::new(Plan::new(jobs, slices).unwrap())
}

fn fingerprint(run: u32) -> Fingerprint {
    Fingerprint::of(&run.to_le_bytes())
}

fn digest(slice: SliceId, variant: u8) -> Digest {
    Digest::of(&[slice.0 as u8, variant])
}

fn identity(epoch: u64) -> Identity {
    Identity {
        store_id: STORE,
        epoch,
        start_id: epoch * 1_000,
        secret: [3; 32],
        earlier: (1..epoch).map(|earlier| (earlier, earlier * 1_000)).collect(),
    }
}

fn seed(run: u32, plan: &Arc<Plan>) -> RunSeed {
    RunSeed {
        run,
        fingerprint: fingerprint(run),
        workload: "w".into(),
        algorithm_version: 1,
        plan: Arc::clone(plan),
        committed: Vec::new(),
        unconfirmed: Vec::new(),
        decided: Decided::default(),
    }
}

/// A core with a clock; every step is followed by the check of the invariants.
struct World {
    core: Core,
    now: Millis,
    replies: u64,
    epoch: u64,
    notices: Vec<Notice>,
    others: Vec<(ReplyId, Reply)>,
    persists: Vec<ReplyId>,
    noted: Vec<LeaseNote>,
    decisions: Vec<Decision>,
    storings: Vec<Storing>,
}

impl World {
    fn new(epoch: u64) -> Self {
        Self {
            core: Core::new(identity(epoch), Timings::default()),
            now: Millis(0),
            replies: 0,
            epoch,
            notices: Vec::new(),
            others: Vec::new(),
            persists: Vec::new(),
            noted: Vec::new(),
            decisions: Vec::new(),
            storings: Vec::new(),
        }
    }

    fn with_run(batches: &[u32]) -> Self {
        let mut world = Self::new(1);
        world.step(Event::RunAdded(seed(1, &plan(batches))));
        world
    }

    fn step(&mut self, event: Event) {
        for effect in self.core.step(self.now, event) {
            match effect {
                Effect::Reply { to, reply } => self.others.push((to, reply)),
                Effect::Persist { upload, storing, .. } => {
                    self.persists.push(upload);
                    self.storings.push(storing);
                }
                Effect::Decide { decision, .. } => self.decisions.push(decision),
                Effect::NoteLeases(notes) => self.noted.extend(notes),
                Effect::EndLeases(notes) => {
                    self.noted.retain(|noted| notes.iter().all(|ended| ended.token != noted.token));
                }
                Effect::Tell(notice) => self.notices.push(notice),
            }
        }
        self.core.check();
    }

    fn reply_id(&mut self) -> ReplyId {
        self.replies += 1;
        ReplyId(self.replies)
    }

    fn taken(&mut self, id: ReplyId) -> Option<Reply> {
        let position = self.others.iter().position(|(to, _)| *to == id)?;
        Some(self.others.remove(position).1)
    }

    /// A call and its answer, which must come at once.
    fn call(&mut self, event: impl FnOnce(ReplyId) -> Event) -> Reply {
        let id = self.reply_id();
        self.step(event(id));
        self.taken(id).expect("answered at once")
    }

    fn wait(&mut self, ms: u64) {
        self.now = self.now + Millis(ms);
        self.step(Event::Tick);
    }

    fn caller(&self, session: SessionId) -> Caller {
        Caller { session, epoch: self.epoch }
    }

    fn try_register(&mut self, held: Vec<Held>) -> Reply {
        self.try_register_as(0, held)
    }

    fn try_register_as(&mut self, instance: u64, held: Vec<Held>) -> Reply {
        self.try_register_on("", instance, held)
    }

    fn try_register_on(&mut self, host: &str, instance: u64, held: Vec<Held>) -> Reply {
        let registration = Registration {
            name: "amy".into(),
            host_key: host.into(),
            workloads: vec![("w".into(), 1)],
            held,
            instance,
            ..Registration::default()
        };
        self.call(|reply| Event::Register { reply, registration })
    }

    fn register(&mut self) -> SessionId {
        match self.try_register(Vec::new()) {
            Reply::Registered { session, .. } => session,
            other => panic!("{other:?}"),
        }
    }

    /// A worker on a host that is told from others.
    fn register_on(&mut self, host: &str) -> SessionId {
        match self.try_register_on(host, 0, Vec::new()) {
            Reply::Registered { session, .. } => session,
            other => panic!("{other:?}"),
        }
    }

    fn lease_event(
        &self,
        reply: ReplyId,
        session: SessionId,
        slots: u32,
        received: u64,
        wait: u64,
    ) -> Event {
        Event::Lease {
            reply,
            caller: self.caller(session),
            free_slots: slots,
            answer_received: received,
            wait: Millis(wait),
        }
    }

    fn try_lease(&mut self, session: SessionId, slots: u32, received: u64) -> Reply {
        let id = self.reply_id();
        let event = self.lease_event(id, session, slots, received, 0);
        self.step(event);
        self.taken(id).expect("a call that does not wait is answered at once")
    }

    /// Leases, and says that every earlier answer arrived.
    fn lease(&mut self, session: SessionId, slots: u32) -> Vec<Lease> {
        leased(self.try_lease(session, slots, u64::MAX)).1
    }

    fn beat(&mut self, session: SessionId, received: u64, attempts: &[Lease]) -> Vec<Token> {
        let caller = self.caller(session);
        let attempts = attempts.iter().map(|lease| lease.token).collect();
        match self.call(|reply| Event::Heartbeat {
            reply,
            caller,
            answer_received: received,
            attempts,
            rss_bytes: 1,
        }) {
            Reply::Beat { cancel, .. } => cancel,
            other => panic!("{other:?}"),
        }
    }

    fn offer_of(&self, token: Token, slice: SliceId, variant: u8) -> Offer {
        let planned = *self.core.runs[&1].planned(slice).unwrap();
        Offer {
            token,
            fingerprint: fingerprint(1),
            slice,
            job: planned.job,
            first_row: planned.first_row,
            rows: planned.rows,
            elements: planned.elements,
            raw_bytes: planned.raw_bytes,
            digest: digest(slice, variant),
        }
    }

    /// Announces, sends, and makes durable.
    fn upload(&mut self, session: SessionId, offer: Offer) -> Reply {
        let caller = self.caller(session);
        match self.call(|reply| Event::Offer { reply, caller, offer }) {
            Reply::Proceed { .. } => {}
            other => return other,
        }
        let id = self.reply_id();
        self.step(Event::Result { reply: id, session, offer, compute_ms: 1_000 });
        for upload in std::mem::take(&mut self.persists) {
            self.step(Event::Persisted { upload });
        }
        self.taken(id).expect("answered once durable")
    }

    fn commit(&mut self, session: SessionId, lease: &Lease) -> Reply {
        self.upload(session, self.offer_of(lease.token, lease.slice, 0))
    }

    fn fail(&mut self, session: SessionId, lease: &Lease, failure: Failure) {
        let caller = self.caller(session);
        let token = lease.token;
        let reply =
            self.call(|reply| Event::Failed { reply, caller, token, failure, text: "boom".into() });
        assert_eq!(reply, Reply::Done);
    }

    fn snapshot(&self) -> RunSnapshot {
        self.core.run_snapshot(self.now, 1).unwrap()
    }
}

fn held(lease: &Lease) -> Held {
    Held { token: lease.token, fingerprint: fingerprint(1), slice: lease.slice, finished: None }
}

fn leased(reply: Reply) -> (u64, Vec<Lease>, bool) {
    match reply {
        Reply::Leased { answer, slices, all_done } => (answer, slices, all_done),
        other => panic!("{other:?}"),
    }
}

fn ids(leases: &[Lease]) -> Vec<u32> {
    leases.iter().map(|lease| lease.slice.0).collect()
}

const COMMITTED: Reply = Reply::Outcome(Outcome::Committed { late: false });
const LATE: Reply = Reply::Outcome(Outcome::Committed { late: true });
