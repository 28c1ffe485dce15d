//! Results that count only once another host has found the same.

use super::*;

fn world(batches: &[u32], validation: Validation) -> World {
    let mut world = World::new(1);
    world.core = Core::new(identity(1), Timings::default()).with_validation(validation);
    world.step(Event::RunAdded(seed(1, &plan(batches))));
    world
}

fn find(world: &mut World, worker: SessionId, variant: u8) -> (SliceId, Reply) {
    let leases = world.lease(worker, 1);
    assert_eq!(leases.len(), 1, "something to compute");
    let offer = world.offer_of(leases[0].token, leases[0].slice, variant);
    (leases[0].slice, world.upload(worker, offer))
}

fn mismatch(slice: SliceId, stored: u8) -> Reply {
    Reply::Outcome(Outcome::Mismatch { committed: digest(slice, stored) })
}

const DUPLICATE: Reply = Reply::Outcome(Outcome::Duplicate);

#[test]
fn every_result_is_found_twice_on_two_hosts() {
    let mut world = world(&[2], Validation::Quorum(2));
    let (amy, bob) = (world.register_on("h1"), world.register_on("h2"));
    let leases = world.lease(amy, 1);
    for lease in &leases {
        assert_eq!(world.commit(amy, lease), COMMITTED);
    }
    assert_eq!(world.storings, [Storing::Doubted; 2]);
    assert_eq!((world.snapshot().doubted, world.core.doubted(1)), (2, 2));
    assert_eq!(world.snapshot().phase, RunPhase::Running);
    assert_eq!(world.commit(amy, &leases[0]), DUPLICATE, "a lost answer");
    assert_eq!(world.lease(amy, 1), [], "not on the same host, while there is another");
    let again = world.lease(bob, 1);
    assert_eq!(ids(&again), ids(&leases), "as one batch");
    for lease in &again {
        assert_eq!(world.commit(bob, lease), DUPLICATE);
    }
    let snapshot = world.snapshot();
    assert_eq!(snapshot.phase, RunPhase::Finished);
    assert_eq!((snapshot.confirmed, snapshot.confirmed_alone, snapshot.doubted), (2, 0, 0));
    let confirmed = [0, 1].map(|slice| Decision::Confirm { slice: SliceId(slice) });
    assert_eq!(world.decisions, confirmed);
}

#[test]
fn a_host_that_is_alone_checks_itself_and_that_is_said() {
    let mut world = world(&[1], Validation::Quorum(2));
    let amy = world.register_on("h1");
    let (_, reply) = find(&mut world, amy, 0);
    assert_eq!(reply, COMMITTED);
    let (_, reply) = find(&mut world, amy, 0);
    assert_eq!(reply, DUPLICATE);
    let snapshot = world.snapshot();
    assert_eq!((snapshot.confirmed, snapshot.confirmed_alone), (0, 1));
    assert_eq!(snapshot.phase, RunPhase::Finished);
}

#[test]
fn a_liar_is_outvoted_its_result_replaced_and_its_host_quarantined() {
    let mut world = world(&[1], Validation::Quorum(2));
    let liar = world.register_on("liar");
    let (slice, reply) = find(&mut world, liar, 1);
    assert_eq!(reply, COMMITTED);
    let amy = world.register_on("h1");
    let (_, reply) = find(&mut world, amy, 0);
    assert_eq!(reply, mismatch(slice, 1));
    assert_eq!(world.lease(amy, 1), [], "a third host decides");
    assert_eq!(world.lease(liar, 1), []);
    let text = world.core.explain(world.now, 1, slice).unwrap().text;
    assert!(text.contains("2 results differ"), "{text}");
    let bob = world.register_on("h2");
    let (_, reply) = find(&mut world, bob, 0);
    assert_eq!(reply, COMMITTED);
    assert_eq!(world.storings, [Storing::Doubted, Storing::Instead]);
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
    let state = world.core.runs[&1].state(slice);
    assert_eq!(state, super::super::slice::SliceState::Committed(digest(slice, 0)));
    let is_liar =
        |one: &Notice| matches!(one, Notice::Quarantined { host_key, .. } if host_key == "liar");
    assert!(world.notices.iter().any(is_liar));
    assert!(world.notices.contains(&Notice::Checked { run: 1, slice, replaced: true }));
}

#[test]
fn a_liar_that_checks_is_outvoted_as_well() {
    let mut world = world(&[1], Validation::Quorum(2));
    let amy = world.register_on("h1");
    let (slice, _) = find(&mut world, amy, 0);
    let liar = world.register_on("liar");
    let (_, reply) = find(&mut world, liar, 1);
    assert_eq!(reply, mismatch(slice, 0));
    let bob = world.register_on("h2");
    let (_, reply) = find(&mut world, bob, 0);
    assert_eq!(reply, DUPLICATE);
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
    assert_eq!(world.snapshot().mismatched, 1);
    let workers = world.core.worker_snapshots(world.now);
    let quarantined: Vec<_> = workers.iter().filter(|one| one.quarantined.is_some()).collect();
    assert_eq!(quarantined.len(), 1);
    assert_eq!(quarantined[0].host_key, "liar");
}

#[test]
fn where_nobody_agrees_the_slice_is_parked_and_retry_asks_again() {
    let mut world = world(&[1], Validation::Quorum(2));
    let hosts: Vec<_> = ["h1", "h2", "h3"].iter().map(|host| world.register_on(host)).collect();
    for (variant, worker) in hosts.iter().enumerate() {
        find(&mut world, *worker, variant as u8);
    }
    let parked = world.snapshot().parked;
    assert!(parked[0].1.starts_with("disputed: "), "{parked:?}");
    for host in ["h1", "h2", "h3"] {
        assert!(parked[0].1.contains(&format!("on {host}")), "{parked:?}");
    }
    let retry = |reply| Event::Retry { reply, run: 1, slices: vec![SliceId(0)] };
    assert_eq!(world.call(retry), Reply::Done);
    let (_, reply) = find(&mut world, hosts[0], 0);
    assert_eq!(reply, DUPLICATE, "what is stored is confirmed");
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
}

#[test]
fn what_rests_on_a_liars_word_alone_is_found_again() {
    // The first batch is checked, the others are not.
    let validation = Validation::Spot(0.3);
    let batches = [1; 12];
    let mut world = world(&batches, validation);
    let liar = world.register_on("liar");
    let mut lied = 0;
    while let Some(lease) = world.lease(liar, 1).first().copied() {
        let offer = world.offer_of(lease.token, lease.slice, 1);
        world.upload(liar, offer);
        lied += 1;
        if world.core.doubted(1) == 1 {
            break;
        }
    }
    assert!((1..12).contains(&lied), "{lied}");
    let (amy, bob) = (world.register_on("h1"), world.register_on("h2"));
    loop {
        let before = world.storings.len() + world.snapshot().mismatched as usize;
        for worker in [amy, bob] {
            for lease in world.lease(worker, 1) {
                world.commit(worker, &lease);
            }
        }
        if before == world.storings.len() + world.snapshot().mismatched as usize {
            break;
        }
    }
    let snapshot = world.snapshot();
    assert_eq!((snapshot.phase, snapshot.doubted), (RunPhase::Finished, 0));
    for slice in 0..12 {
        let state = world.core.runs[&1].state(SliceId(slice));
        let right = super::super::slice::SliceState::Committed(digest(SliceId(slice), 0));
        assert_eq!(state, right, "slice {slice}");
    }
    let replaced = world.storings.iter().filter(|storing| **storing == Storing::Instead).count();
    assert_eq!(replaced, lied);
}

#[test]
fn doubts_outlive_the_coordinator() {
    let mut world = World::new(2);
    world.core = Core::new(identity(2), Timings::default()).with_validation(Validation::Spot(0.5));
    let mut seed = seed(1, &plan(&[1, 1]));
    seed.committed = [0, 1].map(|slice| (SliceId(slice), digest(SliceId(slice), 0))).to_vec();
    seed.decided.doubted.insert(SliceId(1));
    world.step(Event::RunAdded(seed.clone()));
    assert_eq!(world.core.doubted(1), 1);
    let amy = world.register_on("h1");
    let (slice, reply) = find(&mut world, amy, 0);
    assert_eq!((slice, reply), (SliceId(1), DUPLICATE));
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
    // Whoever does not want checks any more has none.
    let mut world = World::new(2);
    world.step(Event::RunAdded(seed));
    assert_eq!(world.snapshot().phase, RunPhase::Finished);
}
