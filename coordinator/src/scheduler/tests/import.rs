//! Results that nobody was given to compute.

use super::*;

/// No attempt has this token.
const BUNDLE: Token = Token { store_id: STORE, epoch: 1, start_id: 0, sequence: 0 };

/// Announces, sends, and makes durable.
fn import(world: &mut World, slice: u32, variant: u8) -> Reply {
    let offer = world.offer_of(BUNDLE, SliceId(slice), variant);
    match world.call(|reply| Event::ImportOffer { reply, offer }) {
        Reply::Proceed { run: 1 } => {}
        other => return other,
    }
    let id = world.reply_id();
    world.step(Event::Import { reply: id, offer, compute_ms: 5 });
    for upload in std::mem::take(&mut world.persists) {
        world.step(Event::Persisted { upload });
    }
    world.taken(id).expect("answered once durable")
}

fn committed(world: &World) -> u32 {
    world.snapshot().jobs.iter().map(|job| job.committed).sum()
}

fn mismatch(slice: u32) -> Reply {
    Reply::Outcome(Outcome::Mismatch { committed: digest(SliceId(slice), 0) })
}

#[test]
fn a_result_without_an_attempt_counts_once_whoever_has_the_lease() {
    let mut world = World::with_run(&BATCHES);
    let amy = world.register();
    let leases = world.lease(amy, 1);
    assert_eq!(ids(&leases), [0, 1, 2]);
    assert_eq!(import(&mut world, 1, 0), LATE);
    assert_eq!(import(&mut world, 4, 0), LATE);
    assert_eq!(import(&mut world, 1, 0), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(world.beat(amy, u64::MAX, &leases), [leases[1].token], "nobody waits for it");
    assert_eq!(world.commit(amy, &leases[0]), COMMITTED);
    assert_eq!(world.commit(amy, &leases[1]), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(import(&mut world, 0, 0), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(committed(&world), 3);
}

#[test]
fn other_bytes_are_a_mismatch_and_change_nothing() {
    let mut world = World::with_run(&[1]);
    assert_eq!(import(&mut world, 0, 0), LATE);
    assert_eq!(import(&mut world, 0, 1), mismatch(0));
    assert_eq!((committed(&world), world.snapshot().mismatched), (1, 1));
}

#[test]
fn a_doubted_result_is_not_confirmed_by_the_bundle_that_brought_it() {
    let mut world = World::with_run(&[1]);
    world.core = Core::new(identity(1), Timings::default()).with_validation(Validation::Quorum(2));
    world.step(Event::RunAdded(seed(1, &plan(&[1]))));
    assert_eq!(import(&mut world, 0, 0), LATE);
    assert_eq!(world.storings, [Storing::Doubted]);
    assert_eq!(import(&mut world, 0, 0), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(import(&mut world, 0, 1), mismatch(0));
    assert_eq!(world.core.doubted(1), 1);
    let amy = world.register();
    let leases = world.lease(amy, 1);
    assert_eq!(world.commit(amy, &leases[0]), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(world.core.doubted(1), 0, "a host found the same");
}

#[test]
fn parked_slices_are_welcome_and_those_of_cancelled_or_unknown_runs_are_not() {
    let mut world = World::with_run(&[1]);
    for _ in 0..MAX_FAILURES {
        let amy = world.register();
        let leases = world.lease(amy, 1);
        world.fail(amy, &leases[0], Failure::Panic);
        let caller = world.caller(amy);
        world.call(|reply| Event::Deregister { reply, caller });
        world.wait(60_000);
    }
    assert_eq!(world.snapshot().parked.len(), 1);
    let control = RunControl::Cancelled;
    world.call(|reply| Event::Control { reply, run: 1, control });
    assert_eq!(import(&mut world, 0, 0), Reply::Outcome(Outcome::Gone));
    let control = RunControl::Open;
    world.call(|reply| Event::Control { reply, run: 1, control });
    assert_eq!(import(&mut world, 0, 0), LATE);
    assert_eq!(committed(&world), 1);
    for wrong in [
        Offer { first_row: 7, ..world.offer_of(BUNDLE, SliceId(0), 0) },
        Offer { fingerprint: fingerprint(9), ..world.offer_of(BUNDLE, SliceId(0), 0) },
    ] {
        let reply = world.call(|reply| Event::ImportOffer { reply, offer: wrong });
        assert_eq!(reply, Reply::Outcome(Outcome::WrongRun));
    }
}

#[test]
fn a_worker_cannot_pass_for_a_bundle() {
    let mut world = World::with_run(&[1]);
    let amy = world.register();
    let offer = world.offer_of(BUNDLE, SliceId(0), 0);
    assert_eq!(world.upload(amy, offer), Reply::Outcome(Outcome::Fenced));
}
