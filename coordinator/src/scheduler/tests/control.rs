//! What people decide: pause, cancel, retry, drain, quarantine; and why slices are where they are.

use super::*;

fn control(world: &mut World, control: RunControl) {
    assert_eq!(world.call(|reply| Event::Control { reply, run: 1, control }), Reply::Done);
}

fn code(world: &World, slice: u32) -> &'static str {
    world.core.explain(world.now, 1, SliceId(slice)).unwrap().code
}

#[test]
fn a_paused_run_finishes_what_is_leased_and_leases_nothing_more() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 1);
    control(&mut world, RunControl::Paused);
    assert_eq!(world.lease(amy, 4), []);
    assert_eq!((code(&world, 0), code(&world, 5)), ("leased", "paused"));
    assert_eq!(world.snapshot().phase, RunPhase::Paused);
    for lease in &leases {
        assert_eq!(world.commit(amy, lease), COMMITTED);
    }
    let (_, _, all_done) = leased(world.try_lease(amy, 1, u64::MAX));
    assert!(!all_done, "it goes on some day");
    // A call that waits hears of it at once.
    let waiting = world.reply_id();
    let event = world.lease_event(waiting, amy, 1, u64::MAX, 20_000);
    world.step(event);
    control(&mut world, RunControl::Open);
    assert_eq!(ids(&leased(world.taken(waiting).unwrap()).1), [3, 4]);
}

#[test]
fn a_cancelled_run_is_dropped_by_its_workers_and_can_be_taken_up_again() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 1);
    assert_eq!(world.commit(amy, &leases[0]), COMMITTED);
    control(&mut world, RunControl::Cancelled);
    assert_eq!(world.snapshot().phase, RunPhase::Cancelled);
    let tokens: Vec<_> = leases[1..].iter().map(|lease| lease.token).collect();
    assert_eq!(world.beat(amy, u64::MAX, &leases[1..]), tokens, "nobody waits for them");
    assert_eq!(world.commit(amy, &leases[1]), Reply::Outcome(Outcome::Gone));
    assert_eq!(
        world.commit(amy, &leases[0]),
        Reply::Outcome(Outcome::Duplicate),
        "what is stored stays"
    );
    let (_, none, all_done) = leased(world.try_lease(amy, 1, u64::MAX));
    assert!(none.is_empty() && all_done);
    control(&mut world, RunControl::Open);
    assert_eq!(ids(&world.lease(amy, 1)), [1, 2]);
    assert_eq!(
        world.call(|reply| Event::Control { reply, run: 9, control: RunControl::Open }),
        Reply::Refused(Refusal::NoRun(9))
    );
}

#[test]
fn a_parked_slice_waits_for_retry_and_begins_anew() {
    let mut world = World::with_run(&[1]);
    for _ in 0..MAX_FAILURES {
        let amy = world.register();
        let leases = world.lease(amy, 1);
        world.fail(amy, &leases[0], Failure::Panic);
        let caller = world.caller(amy);
        world.call(|reply| Event::Deregister { reply, caller });
        world.wait(60_000);
    }
    assert_eq!(code(&world, 0), "parked");
    assert!(matches!(&world.decisions[..], [Decision::Park { slice: SliceId(0), .. }]));
    let amy = world.register();
    assert_eq!(world.lease(amy, 1), []);
    assert_eq!(world.core.parked(1), [SliceId(0)]);
    let retry = |reply| Event::Retry { reply, run: 1, slices: vec![SliceId(0)] };
    assert_eq!(world.call(retry), Reply::Done);
    let leases = world.lease(amy, 1);
    assert_eq!(ids(&leases), [0]);
    world.fail(amy, &leases[0], Failure::Panic);
    assert_eq!(code(&world, 0), "back_off", "its failures are counted from the beginning");
    let history = world.core.explain(world.now, 1, SliceId(0)).unwrap().history;
    assert!(history[0].contains("parked, then retried"), "{history:?}");
}

#[test]
fn parked_slices_are_parked_in_the_next_life() {
    let mut world = World::new(1);
    let mut seed = seed(1, &plan(&[1, 1]));
    seed.decided.parked.insert(SliceId(0), "because".to_owned());
    seed.decided.control = RunControl::Paused;
    world.step(Event::RunAdded(seed));
    let amy = world.register();
    assert_eq!(world.lease(amy, 4), []);
    control(&mut world, RunControl::Open);
    assert_eq!(ids(&world.lease(amy, 4)), [1]);
    assert_eq!(world.snapshot().parked, [(SliceId(0), "because".to_owned())]);
}

#[test]
fn a_draining_worker_gets_nothing_and_is_told() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 1);
    assert_eq!(world.call(|reply| Event::Drain { reply, session: amy }), Reply::Done);
    assert_eq!(world.lease(amy, 4), []);
    let caller = world.caller(amy);
    let attempts = leases.iter().map(|lease| lease.token).collect();
    let beat = |reply| Event::Heartbeat {
        reply,
        caller,
        answer_received: u64::MAX,
        attempts,
        rss_bytes: 1,
    };
    let Reply::Beat { cancel, drain, .. } = world.call(beat) else { panic!() };
    assert!(cancel.is_empty() && drain);
    assert_eq!(code(&world, 5), "no_worker_fits");
    assert_eq!(world.snapshot().phase, RunPhase::Stalled);
    let nobody = SessionId(77);
    let refused = world.call(|reply| Event::Drain { reply, session: nobody });
    assert_eq!(refused, Reply::Refused(Refusal::NoWorker(nobody)));
}

#[test]
fn nothing_is_begun_that_cannot_be_done_in_time() {
    let mut world = World::with_run(&[1, 1, 1]);
    let register = |world: &mut World, ends_in| {
        let registration = Registration {
            workloads: vec![("w".into(), 1)],
            ends_in: Some(Millis(ends_in)),
            ..Registration::default()
        };
        match world.call(|reply| Event::Register { reply, registration }) {
            Reply::Registered { session, .. } => session,
            other => panic!("{other:?}"),
        }
    };
    let amy = register(&mut world, 60_000);
    let first = world.lease(amy, 1);
    assert_eq!(ids(&first), [0], "nothing is known about the speed yet");
    // It took a second for a cost of ten: the next ones take 1.1 and 1.2 seconds, and need 16.43 and 16.56.
    assert_eq!(world.commit(amy, &first[0]), COMMITTED);
    let amy = register(&mut world, 16_500);
    assert_eq!(ids(&world.lease(amy, 9)), [1]);
    let bob = register(&mut world, 16_500);
    assert_eq!(world.lease(bob, 9), []);
    let caller = world.caller(bob);
    let beat = |reply| Event::Heartbeat {
        reply,
        caller,
        answer_received: u64::MAX,
        attempts: Vec::new(),
        rss_bytes: 1,
    };
    let Reply::Beat { drain, .. } = world.call(beat) else { panic!() };
    assert!(drain, "a worker that nothing fits leaves");
}

#[test]
fn explanations_come_from_a_closed_list() {
    let mut world = World::with_run(&BATCHES);
    assert_eq!(code(&world, 0), "no_workers");
    let amy = world.register_on("h1");
    assert_eq!(code(&world, 0), "waiting");
    let leases = world.lease(amy, 1);
    assert_eq!(code(&world, 0), "leased");
    world.fail(amy, &leases[0], Failure::Panic);
    assert_eq!(code(&world, 0), "back_off");
    assert_eq!(world.commit(amy, &leases[1]), COMMITTED);
    assert_eq!(code(&world, 1), "committed");
    let quarantine =
        |reply| Event::Quarantine { reply, host_key: "h1".into(), reason: "test".into() };
    assert_eq!(world.call(quarantine), Reply::Done);
    assert_eq!(code(&world, 5), "no_worker_fits");
    let text = world.core.explain(world.now, 1, SliceId(5)).unwrap().text;
    assert!(text.contains("1: its host is in quarantine"), "{text}");
    assert_eq!(world.lease(amy, 1), []);
    let release = |reply| Event::ReleaseHost { reply, host_key: "h1".into() };
    assert_eq!(world.call(release), Reply::Done);
    assert_eq!(world.call(release), Reply::Refused(Refusal::NotQuarantined("h1".into())));
    assert_eq!(code(&world, 5), "waiting");
    world.step(Event::StoreFailed { reason: "full".into() });
    assert_eq!(code(&world, 5), "store_failed");
    assert!(world.core.explain(world.now, 1, SliceId(12)).is_none());
    let (some, all) = world.core.explain_open(world.now, 1, 3);
    assert_eq!((some.len(), all), (3, 11), "one of twelve is committed");
}
