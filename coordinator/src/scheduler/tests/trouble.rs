//! Lost workers, poisonous slices, bad hosts, slow ones.

use super::*;

/// A worker vanishes: nothing is heard of it for a lease time, of the others all is well.
fn vanish(world: &mut World, others: &[SessionId]) {
    for _ in 0..3 {
        world.wait(10_000);
        for other in others {
            world.beat(*other, 0, &[]);
        }
    }
}

#[test]
fn a_lost_worker_marks_what_it_had_and_only_a_slice_that_was_alone_is_to_blame() {
    let mut world = World::with_run(&BATCHES);
    let first = world.register();
    assert_eq!(ids(&world.lease(first, 2)), [0, 1, 2, 3, 4]);
    vanish(&mut world, &[]);
    // Each batch for a worker that has nothing else.
    let second = world.register();
    assert_eq!(ids(&world.lease(second, 4)), [0, 1, 2]);
    assert_eq!(world.lease(second, 4), [], "and nothing beside it");
    vanish(&mut world, &[]);
    // Lost again: now one by one.
    let third = world.register();
    assert_eq!(ids(&world.lease(third, 4)), [0]);
    vanish(&mut world, &[]);
    let failed = world.notices.iter().filter(|one| matches!(one, Notice::SliceFailed { .. }));
    assert_eq!(failed.count(), 1, "now it counts");
    // The first batch is held back a second: the second one is next.
    let fourth = world.register();
    assert_eq!(ids(&world.lease(fourth, 4)), [3, 4]);
    // Who has something gets only what was never lost.
    let fifth = world.register();
    world.wait(1_000);
    assert_eq!(ids(&world.lease(fifth, 1)), [0]);
    let sixth = world.register();
    assert_eq!(ids(&world.lease(sixth, 1)), [1]);
    let seventh = world.register();
    assert_eq!(ids(&world.lease(seventh, 1)), [2]);
    let eighth = world.register();
    assert_eq!(ids(&world.lease(eighth, 4)), [5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn a_slice_that_kills_its_worker_is_parked_and_all_others_are_computed() {
    for killer in 0..5 {
        let mut world = World::with_run(&[3, 2]);
        let mut deaths = 0;
        for _ in 0..100 {
            let worker = world.register();
            let leases = world.lease(worker, 2);
            if leases.iter().any(|lease| lease.slice == SliceId(killer)) {
                deaths += 1;
                vanish(&mut world, &[]);
                world.wait(60_000);
                continue;
            }
            for lease in &leases {
                assert_eq!(world.commit(worker, lease), COMMITTED);
            }
            let caller = world.caller(worker);
            world.call(|reply| Event::Deregister { reply, caller });
            if leases.is_empty() {
                break;
            }
        }
        let snapshot = world.snapshot();
        assert_eq!(snapshot.phase, RunPhase::FinishedWithParked, "killer {killer}");
        assert_eq!(snapshot.parked[0].0, SliceId(killer));
        assert!(snapshot.parked[0].1.starts_with("4 failures, the last one: lost with amy, alone"));
        assert_eq!(deaths, 6, "with others, with its batch, and four times alone");
    }
}

#[test]
fn three_hosts_are_enough_to_park_a_slice() {
    let mut world = World::with_run(&[1]);
    for host in ["h1", "h2", "h3"] {
        let worker = world.register_on(host);
        let leases = world.lease(worker, 1);
        world.fail(worker, &leases[0], Failure::Invalid);
        world.wait(5_000);
    }
    let parked = world.snapshot().parked;
    assert!(parked[0].1.starts_with("3 failures on 3 hosts"), "{parked:?}");
}

#[test]
fn a_host_that_fails_what_goes_well_elsewhere_is_quarantined_whatever_it_is_called_next() {
    let mut world = World::with_run(&[1, 1, 1, 1, 1, 1]);
    let (bad, good) = (world.register_on("bad"), world.register_on("good"));
    for _ in 0..3 {
        let leases = world.lease(bad, 1);
        world.fail(bad, &leases[0], Failure::Panic);
        world.wait(1_000);
        world.beat(bad, 0, &[]);
        let leases = world.lease(good, 1);
        assert_eq!(world.commit(good, &leases[0]), COMMITTED);
    }
    let quarantined = Notice::Quarantined {
        host_key: "bad".to_owned(),
        lasts: FIRST_QUARANTINE,
        reason: "several slices failed there that went well on other hosts".to_owned(),
    };
    assert!(world.notices.contains(&quarantined), "{:?}", world.notices);
    assert_eq!(world.lease(bad, 1), []);
    let again = world.register_on("bad");
    assert_eq!(world.lease(again, 1), [], "a restart does not wash it off");
    let workers = world.core.worker_snapshots(world.now);
    assert_eq!(workers.iter().filter(|worker| worker.quarantined.is_some()).count(), 2);
    assert_eq!(world.lease(good, 1).len(), 1);
}

#[test]
fn an_idle_worker_of_another_host_gets_a_copy_of_what_takes_too_long() {
    let mut world = World::with_run(&[1; 20]);
    let (slow, fast) = (world.register_on("slow"), world.register_on("fast"));
    let late = world.lease(slow, 2);
    for _ in 0..18 {
        let leases = world.lease(fast, 1);
        world.wait(1_000);
        world.beat(slow, 0, &late);
        assert_eq!(world.commit(fast, &leases[0]), COMMITTED);
    }
    // Eighteen of twenty took a second each: two seconds are long over.
    assert_eq!(world.lease(slow, 1), [], "not to the same host");
    let same = world.register_on("slow");
    assert_eq!(world.lease(same, 1), []);
    let copies = world.lease(fast, 1);
    assert_eq!(copies.len(), 1);
    assert_eq!(world.snapshot().copies, 1);
    assert_eq!(world.commit(fast, &copies[0]), COMMITTED);
    // The slow one hears of it, and its own result is nothing new.
    let original = late.iter().find(|one| one.slice == copies[0].slice).unwrap();
    assert_eq!(world.beat(slow, 0, &late), [original.token]);
    assert_eq!(world.commit(slow, original), Reply::Outcome(Outcome::Duplicate));
    assert_eq!(world.lease(fast, 1).len(), 1, "one of the ten in a hundred is left");
    let leases = world.lease(fast, 1);
    assert_eq!(leases, [], "never a third attempt");
}

#[test]
fn no_copy_before_three_quarters_of_a_job_are_finished() {
    let mut world = World::with_run(&[1; 8]);
    let (slow, fast) = (world.register_on("slow"), world.register_on("fast"));
    let late = world.lease(slow, 3);
    for _ in 0..5 {
        let leases = world.lease(fast, 1);
        world.wait(1_000);
        world.beat(slow, 0, &late);
        assert_eq!(world.commit(fast, &leases[0]), COMMITTED);
    }
    world.wait(9_000);
    world.beat(slow, 0, &late);
    world.beat(fast, u64::MAX, &[]);
    // Slices 0 and 2 are of the first job: two of its four are finished.
    let copies = world.lease(fast, 4);
    assert_eq!(ids(&copies), [1], "three of the second job's four are");
}
