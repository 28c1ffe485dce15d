//! The worker against a coordinator that restarts, vanishes, loses answers and refuses.

#[expect(unreachable_pub, clippy::unwrap_used, reason = "a module of the test itself")]
mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use fulldeck_proto::v1::{AttemptPhase, FailureClass, UploadOutcome};
use fulldeck_service::{Access, AccessToken, StopLevel, StopSource, TlsFlags, exit};
use fulldeck_worker::{AccessSource, Ending, WorkerError, WorkerOptions, WorkerSummary, run};
use support::PATIENCE;
use support::coordinator::{Book, Event, Fault, Server};
use support::toy::Toy;
use tokio::task::JoinHandle;

/// A worker under test.
struct Running {
    stop: StopSource,
    worker: JoinHandle<Result<WorkerSummary, WorkerError>>,
}

impl Running {
    fn start(options: WorkerOptions, toy: &Toy) -> Self {
        let (stop, signal) = StopSource::new();
        let worker = tokio::spawn(run(options, toy.registry(), signal));
        Self { stop, worker }
    }

    async fn end(self) -> Result<WorkerSummary, WorkerError> {
        tokio::time::timeout(PATIENCE, self.worker)
            .await
            .expect("the worker ends")
            .expect("the worker does not panic")
    }
}

/// Two threads, and leaving when everything is done.
fn options(access: Access) -> WorkerOptions {
    let mut options = WorkerOptions::new(AccessSource::Fixed(access));
    options.threads = 2;
    options.exit_when_done = true;
    options
}

async fn setting(parameters: &[&str]) -> (Book, Server, Toy) {
    let book = Book::new(parameters);
    let server = Server::start(&book).await;
    (book, server, Toy::new())
}

#[tokio::test]
async fn a_run_is_computed_batch_by_batch_and_delivered_once() {
    let (book, server, toy) = setting(&["slices=7", "batch=3"]).await;
    toy.gate.open();
    let summary = Running::start(options(server.access(&book)), &toy).end().await.unwrap();
    assert_eq!((summary.ending, summary.committed), (Ending::AllDone, 7));
    let calls: BTreeSet<_> = toy.gate.calls().into_iter().collect();
    assert_eq!(calls, BTreeSet::from([vec![0, 1, 2], vec![3, 4, 5], vec![6]]));
    book.look(|state| {
        assert_eq!(state.committed.len(), 7);
        assert_eq!(state.outcomes(UploadOutcome::Committed), 7);
        assert_eq!(state.count(|event| matches!(event, Event::Deregister)), 1);
    });
}

#[tokio::test]
async fn a_restarted_coordinator_is_offered_what_is_held() {
    let (book, server, toy) = setting(&["slices=6", "batch=2"]).await;
    let worker = Running::start(options(server.access(&book)), &toy);
    book.until("six slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 6))
    })
    .await;
    // One of them is finished elsewhere during the absence.
    let digest = fulldeck_job::Digest::of(&support::toy::payload(0));
    book.with(|state| state.committed.insert(0, digest));
    let server = server.restart(&book).await;
    book.until("a second registration", |state| state.registrations().len() == 2).await;
    let held = book.look(|state| state.registrations()[1].held.clone());
    assert_eq!(held.iter().map(|held| held.slice).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert!(held.iter().all(|held| held.phase() == AttemptPhase::Computing));
    toy.gate.open();
    let summary = worker.end().await.unwrap();
    assert_eq!((summary.committed, summary.dropped, summary.duplicates), (5, 1, 0));
    assert_eq!(toy.gate.calls().len(), 3, "nothing is computed twice");
    drop(server);
}

#[tokio::test]
async fn results_finished_during_an_absence_are_delivered_after_it() {
    let (book, server, toy) = setting(&["slices=4", "batch=2"]).await;
    let worker = Running::start(options(server.access(&book)), &toy);
    book.until("four slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 4))
    })
    .await;
    let address = server.address;
    drop(server);
    toy.gate.open();
    toy.gate.until_passed(2).await;
    book.with(|state| state.epoch += 1);
    let server = Server::start_at(&book, address).await;
    assert_eq!(worker.end().await.unwrap().committed, 4);
    assert_eq!(toy.gate.calls().len(), 2);
    drop(server);
}

#[tokio::test]
async fn a_result_whose_acknowledgement_was_lost_is_sent_again() {
    let (book, server, toy) = setting(&["slices=1"]).await;
    book.with(|state| state.faults.push_back(Fault::LostAnswer));
    toy.gate.open();
    let summary = Running::start(options(server.access(&book)), &toy).end().await.unwrap();
    assert_eq!((summary.committed, summary.duplicates), (0, 1));
    assert_eq!(book.look(|state| state.outcomes(UploadOutcome::Duplicate)), 1);
    assert_eq!(toy.gate.calls().len(), 1);
}

#[tokio::test]
async fn a_damaged_result_is_sent_again_but_not_for_ever() {
    let corrupt = Fault::Answer(UploadOutcome::Corrupt);
    let (book, server, toy) = setting(&["slices=1"]).await;
    toy.gate.open();
    book.with(|state| state.faults.extend([corrupt; 3]));
    let summary = Running::start(options(server.access(&book)), &toy).end().await.unwrap();
    assert_eq!((summary.committed, summary.failed), (1, 0));

    let (book, server, toy) = setting(&["slices=1"]).await;
    toy.gate.open();
    book.with(|state| state.faults.extend([corrupt; 4]));
    let summary = Running::start(options(server.access(&book)), &toy).end().await.unwrap();
    assert_eq!((summary.committed, summary.failed), (0, 1));
    book.look(|state| {
        assert_eq!(state.outcomes(UploadOutcome::Corrupt), 4);
        let invalid = |event: &Event| {
            matches!(event, Event::Failure { class: FailureClass::Invalid, text, .. } if text.contains("4 times"))
        };
        assert_eq!(state.count(invalid), 1);
    });
}

#[tokio::test]
async fn results_nobody_wants_are_dropped() {
    let (book, server, toy) = setting(&["slices=3", "batch=1"]).await;
    toy.gate.open();
    book.with(|state| {
        for outcome in [UploadOutcome::Fenced, UploadOutcome::Gone, UploadOutcome::Mismatch] {
            state.faults.push_back(Fault::Answer(outcome));
        }
    });
    let mut options = options(server.access(&book));
    options.exit_when_done = false;
    let worker = Running::start(options, &toy);
    book.until("three decisions", |state| {
        state.count(|event| matches!(event, Event::Upload(_))) == 3
    })
    .await;
    let beats = book.look(|state| state.events.len());
    book.until("a heartbeat that names nothing", |state| {
        state.events[beats..]
            .iter()
            .any(|event| matches!(event, Event::Beat(held) if held.is_empty()))
    })
    .await;
    worker.stop.raise(StopLevel::Drain);
    let summary = worker.end().await.unwrap();
    assert_eq!((summary.dropped, summary.failed, summary.committed), (2, 1, 0));
}

#[tokio::test]
async fn without_a_coordinator_a_worker_gives_up_in_time() {
    let book = Book::new(&[]);
    let server = Server::start(&book).await;
    let mut options = options(server.access(&book));
    drop(server);
    options.reconnect_for = Duration::from_millis(400);
    let error = Running::start(options, &Toy::new()).end().await.unwrap_err();
    assert!(matches!(error, WorkerError::Unreachable { held: 0, .. }), "{error}");
    assert_eq!(error.exit_code(), exit::UNREACHABLE);
}

#[tokio::test]
async fn a_coordinator_that_never_returns_is_given_up_and_computing_ends() {
    let (book, server, toy) = setting(&["slices=2"]).await;
    let mut options = options(server.access(&book));
    options.reconnect_for = Duration::from_millis(400);
    let worker = Running::start(options, &toy);
    book.until("two slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 2))
    })
    .await;
    drop(server);
    let error = worker.end().await.unwrap_err();
    assert!(matches!(error, WorkerError::Unreachable { held: 2, .. }), "{error}");
    assert!(error.to_string().contains("2 slices in hand"), "{error}");
}

/// A coordinator whose store fails while the worker holds four slices.
async fn halted(reconnect_for: Duration) -> (Book, Server, Toy, Running) {
    let (book, server, toy) = setting(&["slices=4", "batch=2"]).await;
    let mut options = options(server.access(&book));
    options.reconnect_for = reconnect_for;
    let worker = Running::start(options, &toy);
    book.until("four slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 4))
    })
    .await;
    book.with(|state| state.store_failed = "the disk is full".to_owned());
    toy.gate.open();
    toy.gate.until_passed(2).await;
    (book, server, toy, worker)
}

#[tokio::test]
async fn a_coordinator_that_takes_nothing_is_waited_for_as_long_as_an_absent_one() {
    let (book, server, _toy, worker) = halted(Duration::from_millis(400)).await;
    let error = worker.end().await.unwrap_err();
    assert!(matches!(error, WorkerError::Halted { held: 4, .. }), "{error}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert_eq!(error.exit_code(), exit::UNREACHABLE);
    book.look(|state| {
        assert_eq!(state.registrations().len(), 1, "the connection was good");
        assert_eq!(state.count(|event| matches!(event, Event::Deregister)), 1);
        assert!(state.committed.is_empty());
    });
    drop(server);
}

#[tokio::test]
async fn results_are_kept_until_the_coordinator_takes_them_again() {
    let (book, server, toy, worker) = halted(PATIENCE).await;
    let beats = book.look(|state| state.beats());
    book.until("more heartbeats", |state| state.beats() > beats + 5).await;
    book.with(|state| state.store_failed.clear());
    assert_eq!(worker.end().await.unwrap().committed, 4);
    assert_eq!(toy.gate.calls().len(), 2, "nothing is computed twice");
    assert_eq!(book.look(|state| state.registrations().len()), 1);
    drop(server);
}

#[tokio::test]
async fn asked_to_leave_a_worker_waits_for_nothing_that_cannot_be_taken() {
    let (book, server, _toy, worker) = halted(PATIENCE).await;
    worker.stop.raise(StopLevel::Drain);
    let error = worker.end().await.unwrap_err();
    assert!(matches!(error, WorkerError::Undelivered(4)), "{error}");
    assert_eq!(book.look(|state| state.count(|event| matches!(event, Event::Deregister))), 1);
    drop(server);
}

#[tokio::test]
async fn a_worker_that_registers_again_says_who_it_is() {
    let (book, server, toy) = setting(&["slices=2"]).await;
    let worker = Running::start(options(server.access(&book)), &toy);
    book.until("a first registration", |state| state.registrations().len() == 1).await;
    let server = server.restart(&book).await;
    book.until("a second one", |state| state.registrations().len() == 2).await;
    toy.gate.open();
    worker.end().await.unwrap();
    let other = Running::start(options(server.access(&book)), &toy);
    other.end().await.unwrap();
    let instances: Vec<_> =
        book.look(|state| state.registrations().iter().map(|about| about.instance).collect());
    assert_ne!(instances[0], 0);
    assert_eq!(instances[0], instances[1]);
    assert_ne!(instances[0], instances[2], "another worker is another one");
}

#[tokio::test]
async fn a_panic_fails_the_slices_of_its_call_and_no_others() {
    let (book, server, toy) = setting(&["slices=6", "batch=2"]).await;
    toy.gate.panic_at(3);
    toy.gate.open();
    let summary = Running::start(options(server.access(&book)), &toy).end().await.unwrap();
    assert_eq!((summary.committed, summary.failed), (4, 2));
    book.look(|state| {
        let failures: BTreeSet<_> = state
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Failure { slice, class: FailureClass::Panic, text } => {
                    assert!(text.contains("slice 3 is poisoned"), "{text}");
                    Some(*slice)
                }
                _ => None,
            })
            .collect();
        assert_eq!(failures, BTreeSet::from([2, 3]));
        assert_eq!(state.committed.keys().copied().collect::<Vec<_>>(), [0, 1, 4, 5]);
    });
}

#[tokio::test]
async fn a_slice_that_takes_too_long_fails_and_its_call_ends() {
    let (book, server, toy) = setting(&["slices=2", "batch=2"]).await;
    book.with(|state| state.hard_limit_ms = 50);
    let summary = Running::start(options(server.access(&book)), &toy).end().await.unwrap();
    assert_eq!((summary.ending, summary.failed), (Ending::AllDone, 2));
    book.look(|state| {
        let timeout = |event: &Event| {
            matches!(event, Event::Failure { class: FailureClass::Timeout, text, .. } if text.contains("100ms"))
        };
        assert_eq!(state.count(timeout), 2);
    });
}

#[tokio::test]
async fn heartbeats_wait_neither_for_computing_nor_for_uploads() {
    let (book, server, toy) = setting(&["slices=3", "batch=1"]).await;
    book.with(|state| state.faults.extend([Fault::Hang; 3]));
    let worker = Running::start(options(server.access(&book)), &toy);
    book.until("beats while computing", |state| state.beats() >= 5).await;
    toy.gate.open();
    book.until("every upload hangs", |state| state.faults.is_empty()).await;
    let before = book.look(|state| state.beats());
    book.until("beats while uploading", |state| state.beats() >= before + 5).await;
    book.until("beats that name all three as finished", |state| {
        let finished = |event: &Event| match event {
            Event::Beat(held) => {
                held.len() == 3 && held.iter().all(|held| held.phase() == AttemptPhase::Finished)
            }
            _ => false,
        };
        state.events.last().is_some_and(finished)
    })
    .await;
    worker.stop.raise(StopLevel::Stop);
    assert_eq!(worker.end().await.unwrap().ending, Ending::Stopped);
}

#[tokio::test]
async fn a_slice_somebody_else_did_is_cancelled() {
    let (book, server, toy) = setting(&["slices=3", "batch=1"]).await;
    book.with(|state| state.cancel.extend([0, 1]));
    let mut options = options(server.access(&book));
    options.exit_when_done = false;
    let worker = Running::start(options, &toy);
    // Only when both have let go of the threads is the third one's turn.
    book.until("the third alone in hand", |state| {
        let alone = |event: &Event| matches!(event, Event::Beat(held) if held.len() == 1);
        state.events.last().is_some_and(alone)
    })
    .await;
    toy.gate.open();
    book.until("the third committed", |state| state.committed.contains_key(&2)).await;
    worker.stop.raise(StopLevel::Drain);
    let summary = worker.end().await.unwrap();
    assert_eq!((summary.committed, summary.dropped), (1, 2));
    assert_eq!(book.look(|state| state.committed.len()), 1);
}

#[tokio::test]
async fn draining_finishes_what_runs_and_hands_back_the_rest() {
    let (book, server, toy) = setting(&["slices=4", "batch=1"]).await;
    let worker = Running::start(options(server.access(&book)), &toy);
    book.until("three slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 3))
    })
    .await;
    toy.gate.until_begun(2).await;
    worker.stop.raise(StopLevel::Drain);
    book.until("the third handed back", |state| {
        let third = |event: &Event| {
            matches!(event, Event::Release { slices, reason } if *slices == [2] && reason == "asked to stop")
        };
        state.count(third) == 1
    })
    .await;
    toy.gate.open();
    let summary = worker.end().await.unwrap();
    assert_eq!(summary.ending, Ending::Drained);
    assert_eq!((summary.committed, summary.released), (2, 1));
    book.look(|state| {
        assert_eq!(state.waiting.len(), 1, "nothing new was taken");
        assert_eq!(state.count(|event| matches!(event, Event::Deregister)), 1);
    });
}

#[tokio::test]
async fn what_outlasts_the_drain_window_is_handed_back() {
    let (book, server, toy) = setting(&["slices=2", "batch=2"]).await;
    let mut options = options(server.access(&book));
    options.drain_window = Duration::from_millis(100);
    let worker = Running::start(options, &toy);
    book.until("two slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 2))
    })
    .await;
    worker.stop.raise(StopLevel::Drain);
    let summary = worker.end().await.unwrap();
    assert_eq!((summary.ending, summary.released), (Ending::Drained, 2));
}

#[tokio::test]
async fn asked_twice_a_worker_leaves_at_once() {
    let (book, server, toy) = setting(&["slices=6", "batch=2"]).await;
    let worker = Running::start(options(server.access(&book)), &toy);
    book.until("six slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 6))
    })
    .await;
    worker.stop.raise(StopLevel::Drain);
    worker.stop.raise(StopLevel::Stop);
    let summary = worker.end().await.unwrap();
    assert_eq!((summary.ending, summary.released), (Ending::Stopped, 6));
    book.look(|state| {
        let released = |event: &Event| match event {
            Event::Release { slices, .. } => slices.len(),
            _ => 0,
        };
        assert_eq!(state.events.iter().map(released).sum::<usize>(), 6);
        assert_eq!(state.count(|event| matches!(event, Event::Deregister)), 1);
    });
}

#[tokio::test]
async fn other_versions_are_refused_with_both_values() {
    let (book, server, mut toy) = setting(&["slices=1"]).await;
    toy.skew = 1;
    let error = Running::start(options(server.access(&book)), &toy).end().await.unwrap_err();
    assert_eq!(error.exit_code(), exit::CONFLICT);
    let told = book.look(|state| state.spec.plan_digest.clone());
    let told = fulldeck_job::Digest::from_slice(&told).unwrap().short();
    let text = error.to_string();
    assert!(text.contains(&told) && text.contains("install the same release"), "{text}");
    book.look(|state| {
        let refused =
            |event: &Event| matches!(event, Event::Failure { class: FailureClass::Refused, .. });
        assert_eq!(state.count(refused), 1);
        assert_eq!(state.count(|event| matches!(event, Event::Deregister)), 1);
    });

    let (book, server, mut toy) = setting(&["slices=1"]).await;
    toy.algorithm_version = 2;
    let error = Running::start(options(server.access(&book)), &toy).end().await.unwrap_err();
    assert_eq!(error.exit_code(), exit::CONFLICT);
    assert_eq!(
        error.to_string(),
        "run 1 computes toy with algorithm version 1, this worker has 2: install the same release on both"
    );
}

#[tokio::test]
async fn a_refused_registration_is_final() {
    let (book, server, toy) = setting(&[]).await;
    let words = "worker speaks protocol 1, coordinator 2: install the same release on both";
    book.with(|state| {
        state.refuse_register = Some(tonic::Status::failed_precondition(words));
    });
    let error = Running::start(options(server.access(&book)), &toy).end().await.unwrap_err();
    assert_eq!(error.exit_code(), exit::CONFLICT);
    assert!(error.to_string().contains(words), "{error}");
}

#[tokio::test]
async fn a_wrong_token_is_refused_soon() {
    let (book, server, toy) = setting(&[]).await;
    let mut access = server.access(&book);
    access.token = AccessToken::random().unwrap();
    let secret = access.token.expose().to_owned();
    let error = Running::start(options(access), &toy).end().await.unwrap_err();
    assert!(matches!(error, WorkerError::Refused { .. }), "{error}");
    assert_eq!(error.exit_code(), exit::USAGE);
    assert!(!format!("{error} {error:?}").contains(&secret));
}

#[tokio::test]
async fn the_access_file_is_read_again_at_each_reconnect() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.toml");
    let (book, server, toy) = setting(&["slices=2"]).await;
    let mut options = options(server.access(&book));
    options.access = AccessSource::File(file.clone(), TlsFlags::default());
    let worker = Running::start(options, &toy);
    // It was not there yet when the worker started.
    server.access(&book).write(&file).unwrap();
    book.until("two slices in hand", |state| {
        state.events.iter().any(|event| matches!(event, Event::Beat(held) if held.len() == 2))
    })
    .await;
    drop(server);
    book.with(|state| {
        state.epoch += 1;
        state.token = AccessToken::random().unwrap();
    });
    let server = Server::start(&book).await;
    server.access(&book).write(&file).unwrap();
    toy.gate.open();
    assert_eq!(worker.end().await.unwrap().committed, 2);
    assert_eq!(toy.gate.calls().len(), 1);
}
