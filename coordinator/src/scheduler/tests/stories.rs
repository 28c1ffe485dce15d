//! One test a row of the tables: states, outcomes, times.

use super::*;

#[test]
fn whole_batches_are_leased_in_plan_order() {
    let mut world = World::with_run(&BATCHES);
    let (amy, bob) = (world.register(), world.register());
    assert_eq!(ids(&world.lease(amy, 2)), [0, 1, 2, 3, 4]);
    assert_eq!(ids(&world.lease(bob, 1)), [5, 6, 7, 8]);
    assert_eq!(world.lease(amy, 0), []);
    assert_eq!(ids(&world.lease(amy, 9)), [9, 10, 11]);
    assert_eq!(world.noted.len(), 12, "every lease is noted");
}

#[test]
fn an_answer_never_holds_more_than_its_bound() {
    let mut world = World::with_run(&[40, 20, 30, 100]);
    let amy = world.register();
    assert_eq!(world.lease(amy, 9).len(), 60, "the third batch does not fit");
    assert_eq!(world.lease(amy, 9).len(), 30, "nor does the fourth");
    assert_eq!(world.lease(amy, 9).len(), 64, "a batch beyond the bound is split");
    assert_eq!(world.lease(amy, 9).len(), 36);
}

#[test]
fn what_came_back_goes_first() {
    let mut world = World::with_run(&BATCHES);
    let (amy, bob) = (world.register(), world.register());
    let first = world.lease(amy, 3);
    let caller = world.caller(amy);
    let tokens = vec![first[3].token, first[4].token];
    world.call(|reply| Event::Release { reply, caller, tokens });
    assert_eq!(ids(&world.lease(bob, 2)), [3, 4, 9]);
    assert_eq!(world.snapshot().jobs.iter().map(|job| job.leased).sum::<u32>(), 10);
}

#[test]
fn heartbeats_renew_what_they_name_and_the_rest_expires() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 2);
    world.wait(20_000);
    // The answer has not arrived yet as far as the coordinator knows: nothing unnamed is lost.
    assert_eq!(world.beat(amy, 0, &leases[..3]), []);
    world.wait(9_000);
    let caller = world.caller(amy);
    world.call(|reply| Event::AskRun { reply, caller, run: 1 });
    world.wait(1_000);
    assert_eq!(world.snapshot().jobs.iter().map(|job| job.leased).sum::<u32>(), 3);
    let expired = Notice::LeasesExpired { run: 1, slices: vec![SliceId(3), SliceId(4)] };
    assert!(world.notices.contains(&expired), "told together: {:?}", world.notices);
    // Its worker still has it: the slice is its again.
    assert_eq!(world.beat(amy, 1, &leases), []);
    assert_eq!(world.snapshot().jobs.iter().map(|job| job.leased).sum::<u32>(), 5);
    assert_eq!(world.noted.len(), 3, "ended leases are noted as well");
}

#[test]
fn a_received_lease_that_is_not_named_is_lost() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let (answer, leases, _) = leased(world.try_lease(amy, 1, 0));
    assert_eq!(world.beat(amy, answer, &leases[..2]), []);
    assert_eq!(ids(&world.lease(amy, 1)), [2], "put back, and first");
}

#[test]
fn a_lost_answer_is_sent_again() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let (first, leases, _) = leased(world.try_lease(amy, 1, 0));
    let (second, again, _) = leased(world.try_lease(amy, 2, 0));
    assert!(second > first);
    assert_eq!(again[..3], leases, "the same tokens");
    assert_eq!(ids(&again), [0, 1, 2, 3, 4], "and one batch for the slot that is left");
    let (_, third, _) = leased(world.try_lease(amy, 1, second));
    assert_eq!(ids(&third), [5, 6, 7, 8]);
}

#[test]
fn a_lost_worker_frees_its_slices_and_may_come_back_with_them() {
    let mut world = World::with_run(&BATCHES);
    let (amy, bob) = (world.register(), world.register());
    let leases = world.lease(amy, 1);
    world.wait(29_999);
    assert_eq!(world.core.workers.len(), 2);
    world.beat(bob, 0, &[]);
    world.wait(1);
    assert_eq!(world.core.workers.len(), 1);
    let caller = world.caller(amy);
    let refused = world.call(|reply| Event::AskRun { reply, caller, run: 1 });
    assert_eq!(refused, Reply::Refused(Refusal::Stale));
    // One of its slices is somebody else's by now, one is committed.
    let theirs = world.lease(bob, 1);
    assert_eq!(ids(&theirs), [0, 1, 2]);
    assert_eq!(world.commit(bob, &theirs[1]), COMMITTED);
    let held = |lease: &Lease, finished| Held {
        token: lease.token,
        fingerprint: fingerprint(1),
        slice: lease.slice,
        finished,
    };
    let reply = world.try_register(vec![
        held(&leases[0], None),
        held(&leases[1], Some(digest(SliceId(1), 0))),
        held(&leases[1], Some(digest(SliceId(1), 1))),
        held(&leases[2], Some(digest(SliceId(2), 0))),
        Held { slice: SliceId(99), ..held(&leases[2], None) },
        Held { fingerprint: fingerprint(2), ..held(&leases[2], None) },
        Held { token: Token { store_id: [1; 16], ..leases[2].token }, ..held(&leases[2], None) },
        Held { token: Token { sequence: 77, ..leases[2].token }, ..held(&leases[2], None) },
    ]);
    let Reply::Registered { session, held } = reply else { panic!("{reply:?}") };
    use HeldVerdict::{Drop, Keep, Upload};
    assert_eq!(held, [Keep, Drop, Upload, Upload, Drop, Drop, Drop, Drop]);
    // Two have slice 0 now; the first good result wins and the other is told.
    assert_eq!(world.commit(session, &leases[0]), COMMITTED);
    assert_eq!(world.beat(bob, 1, &theirs), [theirs[0].token, theirs[1].token]);
    assert_eq!(world.commit(bob, &theirs[0]), Reply::Outcome(Outcome::Duplicate));
}

#[test]
fn a_lost_worker_is_told_of_once_with_all_its_slices() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 2);
    world.beat(amy, 1, &leases);
    world.wait(10_000);
    // A last call that renews nothing: its leases end before it is given up.
    let caller = world.caller(amy);
    world.call(|reply| Event::AskRun { reply, caller, run: 1 });
    world.notices.clear();
    world.wait(20_000);
    assert_eq!(world.snapshot().jobs.iter().map(|job| job.leased).sum::<u32>(), 0);
    assert_eq!(world.notices, [], "it may come back");
    world.wait(10_000);
    let lost = Notice::WorkerLost { session: amy, name: "amy".into(), slices: 5 };
    assert_eq!(world.notices, [lost]);
}

#[test]
fn a_worker_that_registers_again_is_one_worker() {
    const AMY: u64 = 7;
    let mut world = World::with_run(&BATCHES);
    let session_of = |reply: Reply| match reply {
        Reply::Registered { session, held } => (session, held),
        other => panic!("{other:?}"),
    };
    let (first, _) = session_of(world.try_register_as(AMY, Vec::new()));
    let bob = world.register();
    let leases = world.lease(first, 1);
    assert_eq!(world.commit(first, &leases[0]), COMMITTED);
    let id = world.reply_id();
    let poll = world.lease_event(id, first, 0, u64::MAX, 20_000);
    world.step(poll);
    // It brings one of its two slices along; the other one is lost.
    let again = vec![held(&leases[1])];
    let (second, verdicts) = session_of(world.try_register_as(AMY, again));
    assert_eq!(verdicts, [HeldVerdict::Keep]);
    assert_ne!(first, second);
    let workers = world.core.worker_snapshots(world.now);
    let shown: Vec<_> = workers.iter().map(|worker| (worker.session, worker.committed)).collect();
    let mut expected = [(second, 1), (bob, 0)];
    expected.sort_by_key(|(session, _)| *session);
    assert_eq!(shown, expected, "with what it did before");
    assert_eq!(world.snapshot().workers_live, 2);
    assert_eq!(world.taken(id), Some(Reply::Refused(Refusal::Stale)), "nobody waits for it");
    let caller = world.caller(first);
    let stale = world.call(|reply| Event::AskRun { reply, caller, run: 1 });
    assert_eq!(stale, Reply::Refused(Refusal::Stale));
    assert_eq!(ids(&world.lease(bob, 1)), [2], "waiting again at once");
    assert_eq!(world.commit(second, &leases[1]), COMMITTED);
    // Who does not say who he is, is somebody else each time.
    world.register();
    assert_eq!(world.core.workers.len(), 3);
}

#[test]
fn never_more_than_two_attempts() {
    let mut world = World::with_run(&[1]);
    let mut tokens = Vec::new();
    for _ in 0..3 {
        let session = world.register();
        tokens.extend(world.lease(session, 1));
        world.wait(30_000);
    }
    let verdicts: Vec<_> = tokens
        .iter()
        .map(|lease| {
            let held = Held {
                token: lease.token,
                fingerprint: fingerprint(1),
                slice: lease.slice,
                finished: None,
            };
            match world.try_register(vec![held]) {
                Reply::Registered { held, .. } => held[0],
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(verdicts, [HeldVerdict::Keep, HeldVerdict::Keep, HeldVerdict::Drop]);
}

#[test]
fn the_table_of_outcomes() {
    let mut world = World::with_run(&BATCHES);
    let (amy, bob) = (world.register(), world.register());
    let leases = world.lease(amy, 2);
    let good = world.offer_of(leases[0].token, SliceId(0), 0);
    // Current attempt.
    assert_eq!(world.upload(amy, good), COMMITTED);
    // Committed, equal digest: any token of this store.
    assert_eq!(world.upload(bob, good), Reply::Outcome(Outcome::Duplicate));
    // Committed, other digest.
    let other = Offer { digest: digest(SliceId(0), 1), ..good };
    let mismatch = Outcome::Mismatch { committed: good.digest };
    assert_eq!(world.upload(bob, other), Reply::Outcome(mismatch));
    assert_eq!(world.snapshot().mismatched, 1);
    assert_eq!(world.upload(bob, good), Reply::Outcome(Outcome::Duplicate), "unchanged");
    // Foreign: other store, unknown start, not issued, issued for another slice.
    let open = world.offer_of(leases[1].token, SliceId(1), 0);
    for token in [
        Token { store_id: [0; 16], ..open.token },
        Token { start_id: 3, ..open.token },
        Token { epoch: 2, start_id: 2_000, ..open.token },
        Token { sequence: 1_000, ..open.token },
        leases[2].token,
    ] {
        let reply = world.upload(amy, Offer { token, ..open });
        assert_eq!(reply, Reply::Outcome(Outcome::Fenced), "{token:?}");
    }
    // Fingerprint or range differ from the plan.
    for wrong in [
        Offer { fingerprint: fingerprint(2), ..open },
        Offer { slice: SliceId(99), ..open },
        Offer { rows: 2, ..open },
        Offer { first_row: 7, ..open },
        Offer { elements: 2, ..open },
        Offer { raw_bytes: 9, ..open },
        Offer { job: JobIndex(0), ..open },
    ] {
        assert_eq!(world.upload(amy, wrong), Reply::Outcome(Outcome::WrongRun), "{wrong:?}");
    }
    // Not committed, expired: late, but welcome, also when somebody else has the slice.
    world.wait(30_000);
    let carl = world.register();
    let theirs = world.lease(carl, 1);
    assert_eq!(ids(&theirs), [1, 2]);
    assert_eq!(world.upload(carl, open), LATE);
    assert_eq!(world.commit(carl, &theirs[0]), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(world.core.history.attempts(), 4, "committed slices are forgotten");
}

#[test]
fn nothing_is_acknowledged_before_it_is_durable() {
    let mut world = World::with_run(&BATCHES);
    let (amy, bob) = (world.register(), world.register());
    let lease = world.lease(amy, 1)[0];
    let offer = world.offer_of(lease.token, lease.slice, 0);
    let (first, same, other) = (world.reply_id(), world.reply_id(), world.reply_id());
    world.step(Event::Result { reply: first, session: amy, offer, compute_ms: 1 });
    world.step(Event::Result { reply: same, session: bob, offer, compute_ms: 1 });
    let different = Offer { digest: digest(lease.slice, 1), ..offer };
    world.step(Event::Result { reply: other, session: bob, offer: different, compute_ms: 1 });
    assert_eq!(world.others, []);
    assert_eq!(world.persists, [first], "written once");
    assert_eq!(world.snapshot().jobs[0].committed, 0);
    world.step(Event::Persisted { upload: first });
    assert_eq!(world.taken(first), Some(COMMITTED));
    assert_eq!(world.taken(same), Some(Reply::Outcome(Outcome::Duplicate)));
    let mismatch = Outcome::Mismatch { committed: offer.digest };
    assert_eq!(world.taken(other), Some(Reply::Outcome(mismatch)));
    assert_eq!(world.snapshot().jobs[0].committed, 1);
}

#[test]
fn a_failed_store_acknowledges_nothing_and_leases_nothing() {
    let mut world = World::with_run(&BATCHES);
    let (amy, bob) = (world.register(), world.register());
    let lease = world.lease(amy, 9)[0];
    let poll = world.reply_id();
    world.step(world.lease_event(poll, bob, 1, 0, 20_000));
    let offer = world.offer_of(lease.token, lease.slice, 0);
    let (first, second) = (world.reply_id(), world.reply_id());
    world.step(Event::Result { reply: first, session: amy, offer, compute_ms: 1 });
    world.step(Event::Result { reply: second, session: amy, offer, compute_ms: 1 });
    world.step(Event::PersistFailed { upload: first, reason: "disk full".into() });
    let refused = Reply::Refused(Refusal::StoreFailed("disk full".into()));
    for reply in [first, second, poll] {
        assert_eq!(world.taken(reply), Some(refused.clone()));
    }
    assert_eq!(world.try_lease(bob, 1, 0), refused);
    assert_eq!(world.upload(amy, offer), refused);
    assert_eq!(world.beat(amy, 0, &[lease]), [], "heartbeats go on");
    assert_eq!(world.snapshot().jobs[0].committed, 0);
    assert_eq!(world.snapshot().jobs[0].leased, 6, "the lease still runs");
}

#[test]
fn failures_back_off_then_isolate_then_park() {
    let mut world = World::with_run(&[3]);
    let amy = world.register();
    for lease in world.lease(amy, 1) {
        world.fail(amy, &lease, Failure::Panic);
    }
    assert_eq!(world.lease(amy, 1), [], "not before the back-off");
    world.wait(1_000);
    // One by one: slice 0 goes on failing, the others were only in its company.
    let mut backoff = 2_000;
    for round in 0..3 {
        let leases = world.lease(amy, 1);
        assert_eq!(ids(&leases), [0], "alone");
        world.fail(amy, &leases[0], Failure::Panic);
        if round < 2 {
            world.wait(backoff - 1);
            assert_eq!(world.lease(amy, 1), []);
            world.wait(1);
            backoff *= 2;
        }
    }
    let snapshot = world.snapshot();
    assert_eq!(snapshot.parked.len(), 1);
    assert!(snapshot.parked[0].1.contains("4 failures, the last one: panic on amy: boom"));
    for slice in [1, 2] {
        let leases = world.lease(amy, 1);
        assert_eq!(ids(&leases), [slice]);
        assert_eq!(world.commit(amy, &leases[0]), COMMITTED);
    }
    assert_eq!(world.snapshot().phase, RunPhase::FinishedWithParked);
    assert!(world.notices.contains(&Notice::RunEnded { run: 1, parked: 1 }));
    let (_, slices, all_done) = leased(world.try_lease(amy, 1, 0));
    assert!(slices.is_empty() && all_done);
}

#[test]
fn a_late_result_takes_a_slice_out_of_parking() {
    let mut world = World::with_run(&[1]);
    let amy = world.register();
    let first = world.lease(amy, 1)[0];
    world.fail(amy, &first, Failure::Timeout);
    for _ in 0..3 {
        world.wait(5_000);
        let lease = world.lease(amy, 1)[0];
        world.fail(amy, &lease, Failure::Timeout);
    }
    assert_eq!(world.snapshot().phase, RunPhase::FinishedWithParked);
    assert_eq!(world.commit(amy, &first), LATE);
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
    assert_eq!(world.snapshot().parked, []);
}

#[test]
fn refusals_are_not_counted_but_slowed_down() {
    let mut world = World::with_run(&[1]);
    let amy = world.register();
    for _ in 0..10 {
        let lease = world.lease(amy, 1)[0];
        world.fail(amy, &lease, Failure::Refused);
        assert_eq!(world.lease(amy, 1), []);
        world.wait(1_000);
    }
    assert_eq!(world.snapshot().parked, []);
}

#[test]
fn waiting_calls_are_answered_when_work_appears_or_time_is_up() {
    let mut world = World::new(1);
    let (amy, bob) = (world.register(), world.register());
    let (first, second) = (world.reply_id(), world.reply_id());
    world.step(world.lease_event(first, amy, 1, 0, 20_000));
    world.step(world.lease_event(second, bob, 1, 0, 10_000));
    assert_eq!(world.others, [], "without any run there is everything to wait for");
    assert_eq!(world.core.next_deadline(), Some(LOOK_EVERY), "in case something is late by then");
    world.wait(LOOK_EVERY.0);
    assert_eq!(world.others, []);
    world.wait(10_000 - LOOK_EVERY.0);
    assert_eq!(leased(world.taken(second).unwrap()), (1, vec![], false));
    world.step(Event::RunAdded(seed(1, &plan(&BATCHES))));
    assert_eq!(ids(&leased(world.taken(first).unwrap()).1), [0, 1, 2]);
    // A second call of the same worker ends the first.
    let taken = world.lease(bob, 99);
    assert_eq!(taken.len(), 9);
    let (third, fourth) = (world.reply_id(), world.reply_id());
    world.step(world.lease_event(third, amy, 1, 1, 20_000));
    world.step(world.lease_event(fourth, amy, 1, 1, 20_000));
    assert!(leased(world.taken(third).unwrap()).1.is_empty());
    // A worker that leaves frees its slices for the one that waits.
    let caller = world.caller(bob);
    world.call(|reply| Event::Deregister { reply, caller });
    assert_eq!(ids(&leased(world.taken(fourth).unwrap()).1), [3, 4]);
}

#[test]
fn everybody_hears_once_that_everything_is_done() {
    let mut world = World::with_run(&[1]);
    let (amy, bob) = (world.register(), world.register());
    let lease = world.lease(amy, 1)[0];
    let poll = world.reply_id();
    world.step(world.lease_event(poll, bob, 1, 0, 20_000));
    assert_eq!(world.commit(amy, &lease), COMMITTED);
    assert!(leased(world.taken(poll).unwrap()).2);
    assert!(leased(world.try_lease(amy, 1, 1)).2);
    // The next call waits: a worker that stays must not spin.
    let poll = world.reply_id();
    world.step(world.lease_event(poll, bob, 1, 0, 20_000));
    assert_eq!(world.taken(poll), None);
    world.wait(20_000);
    assert!(leased(world.taken(poll).unwrap()).2);
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
}

#[test]
fn focus_leases_only_the_named_jobs() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let jobs = BTreeSet::from([JobIndex(1)]);
    world.call(|reply| Event::Focus { reply, run: 1, jobs });
    let leases = world.lease(amy, 99);
    assert_eq!(ids(&leases), [1, 3, 5, 7, 9, 11]);
    for lease in &leases {
        assert_eq!(world.commit(amy, lease), COMMITTED);
    }
    assert!(leased(world.try_lease(amy, 1, 1)).2, "done as far as anybody is asked");
    assert_eq!(world.snapshot().phase, RunPhase::Running);
    world.call(|reply| Event::Focus { reply, run: 1, jobs: BTreeSet::new() });
    assert_eq!(ids(&world.lease(amy, 99)), [0, 2, 4, 6, 8, 10]);
    let refused = world.call(|reply| Event::Focus { reply, run: 5, jobs: BTreeSet::new() });
    assert_eq!(refused, Reply::Refused(Refusal::NoRun(5)));
}

#[test]
fn runs_go_by_number_and_only_to_workers_that_can() {
    let mut world = World::with_run(&[1]);
    world.step(Event::RunAdded(RunSeed { workload: "v".into(), ..seed(2, &plan(&[1])) }));
    world.step(Event::RunAdded(RunSeed { algorithm_version: 2, ..seed(3, &plan(&[1])) }));
    world.step(Event::RunAdded(seed(4, &plan(&[1]))));
    let amy = world.register();
    let runs: Vec<_> = world.lease(amy, 9).iter().map(|lease| lease.run).collect();
    assert_eq!(runs, [1, 4]);
}

#[test]
fn a_restart_holds_back_what_may_still_be_computed() {
    let mut before = World::with_run(&BATCHES);
    let amy = before.register();
    let leases = before.lease(amy, 2);
    before.commit(amy, &leases[0]);
    let mut world = World::new(2);
    let noted = before.noted.iter().filter(|note| note.slice != SliceId(0));
    world.step(Event::RunAdded(RunSeed {
        committed: vec![(SliceId(0), digest(SliceId(0), 0))],
        unconfirmed: noted.map(|note| (note.slice, note.token)).collect(),
        ..seed(1, &plan(&BATCHES))
    }));
    let bob = world.register();
    assert_eq!(ids(&world.lease(bob, 9)), [5, 6, 7, 8, 9, 10, 11]);
    let held = leases[1..3]
        .iter()
        .map(|lease| Held {
            token: lease.token,
            fingerprint: fingerprint(1),
            slice: lease.slice,
            finished: None,
        })
        .collect();
    let reply = world.try_register(held);
    let Reply::Registered { session, held } = reply else { panic!("{reply:?}") };
    assert_eq!(held, [HeldVerdict::Keep; 2]);
    world.wait(29_000);
    assert_eq!(world.beat(session, 0, &leases[1..3]), []);
    assert_eq!(world.commit(session, &leases[1]), COMMITTED, "a token of the earlier life");
    world.wait(1_000);
    assert_eq!(world.lease(session, 1), [], "whoever had these is lost: not beside others");
    assert_eq!(world.commit(session, &leases[2]), COMMITTED);
    assert_eq!(ids(&world.lease(session, 1)), [3, 4], "nobody came for these");
}

#[test]
fn the_time_left_is_never_less_than_what_is_in_hand() {
    let mut world = World::with_run(&[1, 1, 1, 1, 1, 1, 1, 1]);
    let workers: Vec<_> = (0..8).map(|_| world.register()).collect();
    let leases: Vec<_> = workers.iter().map(|worker| world.lease(*worker, 1)[0]).collect();
    for (worker, lease) in workers.iter().zip(&leases).take(3) {
        world.wait(10);
        let offer = world.offer_of(lease.token, lease.slice, 0);
        let id = world.reply_id();
        // A minute each, says who computed it.
        let session = *worker;
        world.step(Event::Result { reply: id, session, offer, compute_ms: 60_000 });
        for upload in std::mem::take(&mut world.persists) {
            world.step(Event::Persisted { upload });
        }
    }
    let (low, high) = world.snapshot().time_left.seconds.unwrap();
    assert!((60.0..120.0).contains(&low) && high >= low, "{low} to {high}");
}

#[test]
fn hard_limits_follow_the_measured_speed() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 1);
    assert_eq!(leases[0].hard_limit, UNMEASURED_HARD_LIMIT);
    let caller = world.caller(amy);
    let offer = world.offer_of(leases[0].token, SliceId(0), 0);
    world.call(|reply| Event::Offer { reply, caller, offer });
    let id = world.reply_id();
    world.step(Event::Result { reply: id, session: amy, offer, compute_ms: 100_000 });
    world.step(Event::Persisted { upload: id });
    // 10 units took 100 s; the next batch has 13 + 14 units.
    assert_eq!(world.lease(amy, 1)[0].hard_limit, Millis(27 * 10_000 * 10));
}

#[test]
fn a_damaged_result_waits_again() {
    let mut world = World::with_run(&[1]);
    let amy = world.register();
    let lease = world.lease(amy, 1)[0];
    world.commit(amy, &lease);
    world.step(Event::Discarded { run: 1, slice: SliceId(0) });
    assert_eq!(world.snapshot().phase, RunPhase::Queued);
    let again = world.lease(amy, 1);
    assert_eq!(world.commit(amy, &again[0]), COMMITTED);
}

#[test]
fn the_end_refuses_everybody() {
    let mut world = World::new(1);
    let amy = world.register();
    let poll = world.reply_id();
    world.step(world.lease_event(poll, amy, 1, 0, 20_000));
    world.step(Event::Close);
    assert_eq!(world.taken(poll), Some(Reply::Refused(Refusal::Closing)));
    assert_eq!(world.try_lease(amy, 1, 0), Reply::Refused(Refusal::Closing));
    assert_eq!(world.try_register(Vec::new()), Reply::Refused(Refusal::Closing));
}

#[test]
fn calls_of_another_epoch_are_stale() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    world.epoch = 2;
    assert_eq!(world.try_lease(amy, 1, 0), Reply::Refused(Refusal::Stale));
}

#[test]
fn silent_workers_are_suspect_before_they_are_lost() {
    let mut world = World::with_run(&BATCHES);
    world.register();
    world.wait(7_500);
    assert!(!world.core.worker_snapshots(world.now)[0].suspect);
    world.wait(1);
    assert!(world.core.worker_snapshots(world.now)[0].suspect);
    assert_eq!((world.snapshot().workers_live, world.snapshot().workers_suspect), (0, 1));
}
