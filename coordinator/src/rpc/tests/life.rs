//! Restarts, failing and slow stores, damage.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Condvar, Mutex};

use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::Code;

use super::*;
use crate::RequestError;
use crate::store::{Change, Place, RecoveredRun, ResultReader, StoreError, StoreIdentity};

#[tokio::test]
async fn a_restart_keeps_what_is_finished_and_what_is_running() {
    let site = Site::new().await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(2, 0).await.unwrap().slices;
    assert_eq!(worker.finish(&leases[0]).await.unwrap(), v1::UploadOutcome::Committed);

    let site = site.restart().await;
    let stale = Player::register(site.coordinator.access(), registration()).await.unwrap();
    let mut old = Player { session: worker.session, epoch: worker.epoch, ..stale };
    assert_eq!(old.beat(&leases).await.unwrap_err().code(), Code::Aborted);
    // Somebody else gets other slices, for those may still be computed.
    let mut bob = site.worker().await;
    let theirs = bob.lease(1, 0).await.unwrap().slices;
    assert_eq!(theirs.iter().map(|lease| lease.slice).collect::<Vec<_>>(), [4, 5]);

    let held = |lease: &v1::LeasedSlice| v1::HeldAttempt {
        token: lease.token.clone(),
        fingerprint: lease.fingerprint.clone(),
        slice: lease.slice,
        phase: v1::AttemptPhase::Computing.into(),
        digest: Vec::new().into(),
    };
    let request = v1::RegisterRequest { held: leases.iter().map(held).collect(), ..registration() };
    let mut worker = Player::register(site.coordinator.access(), request).await.unwrap();
    use v1::HeldDecision::{Drop, Keep};
    assert_eq!(worker.held, [Drop, Keep, Keep, Keep]);
    for lease in &leases[1..] {
        assert_eq!(worker.finish(lease).await.unwrap(), v1::UploadOutcome::Committed);
    }
    for lease in &theirs {
        assert_eq!(bob.finish(lease).await.unwrap(), v1::UploadOutcome::Committed);
    }
    worker.work().await;
    assert_eq!(site.status().await.state(), v1::RunState::Finished);
}

#[tokio::test]
async fn waiting_calls_end_with_the_coordinator() {
    let site = Site::new().await;
    let mut worker = site.worker().await;
    let waiting = tokio::spawn(async move { worker.lease(1, 20_000).await });
    let handle = site.coordinator.handle();
    timeout(PATIENCE, async {
        while handle.engine().inspect(|core, _| core.waiting_calls()).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    timeout(PATIENCE, site.coordinator.shutdown()).await.unwrap().unwrap();
    let refused = timeout(PATIENCE, waiting).await.unwrap().unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    let refused = handle.submit("squares", &[], 0).await.unwrap_err();
    assert!(matches!(refused, RequestError::Unavailable(_)), "{refused}");
    assert!(MemoryStore::open(&site.disk).is_ok(), "the store is closed");
}

#[tokio::test]
async fn a_full_disk_acknowledges_nothing_and_is_told() {
    let site = Site::new().await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(2, 0).await.unwrap().slices;
    site.disk.set_full(true);
    let handle = site.coordinator.handle();
    assert_eq!(worker.beat(&leases).await.unwrap().store_failed, "");
    assert_eq!(site.status().await.state(), v1::RunState::Running);
    let refused = worker.finish(&leases[0]).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition, "the connection is good");
    assert!(refused.message().contains("full"), "{refused}");
    let reason = timeout(PATIENCE, handle.store_failed()).await.unwrap();
    assert!(reason.contains("full"), "{reason}");
    assert_eq!(worker.lease(1, 20_000).await.unwrap_err().code(), Code::FailedPrecondition);
    let beat = worker.beat(&leases).await.expect("heartbeats go on");
    assert_eq!(beat.store_failed, reason);
    let status = site.status().await;
    assert_eq!((status.committed, status.state()), (0, v1::RunState::Idle));
    assert_eq!((status.store_failed, status.seconds_left_low), (reason.clone(), None));
    assert!(status.no_estimate_because.contains("store"), "{}", status.no_estimate_because);
    let refused = handle.submit("squares", &["rows=2".into()], 0).await;
    assert!(matches!(refused, Err(RequestError::Halted(_))), "{refused:?}");

    site.disk.set_full(false);
    let ended = site.coordinator.shutdown().await;
    assert!(matches!(&ended, Err(ShutdownError::Store(why)) if *why == reason), "{ended:?}");
    let site = Site::on(site.disk, site.folder).await;
    let mut worker = site.worker().await;
    worker.work().await;
    assert_eq!(site.status().await.state(), v1::RunState::Finished);
}

/// A store that commits only while its gate is open.
struct Gated {
    inner: MemoryStore,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    changed: Condvar,
    commits: Mutex<Vec<usize>>,
}

impl Gate {
    fn set(&self, open: bool) {
        *self.open.lock().unwrap() = open;
        self.changed.notify_all();
    }
}

impl Store for Gated {
    fn identity(&self) -> StoreIdentity {
        self.inner.identity()
    }

    fn recover(&self) -> Result<Vec<RecoveredRun>, StoreError> {
        self.inner.recover()
    }

    fn commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError> {
        let results = changes.iter().filter(|change| matches!(change, Change::Result(_))).count();
        self.gate.commits.lock().unwrap().push(results);
        let open = self.gate.open.lock().unwrap();
        drop(self.gate.changed.wait_while(open, |open| !*open).unwrap());
        self.inner.commit(changes)
    }

    fn reopen(&mut self) -> Result<(), StoreError> {
        self.inner.reopen()
    }

    fn stored_bytes(&self) -> u64 {
        self.inner.stored_bytes()
    }

    fn reader(&self) -> ResultReader {
        self.inner.reader()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heartbeats_do_not_wait_for_the_disk_and_results_share_a_commit() {
    let (gate, disk) = (Arc::new(Gate::default()), MemoryDisk::new([4; 16]));
    gate.set(true);
    let store = Gated { inner: MemoryStore::open(&disk).unwrap(), gate: Arc::clone(&gate) };
    let site = Site::with_store(disk, tempfile::tempdir().unwrap(), Box::new(store)).await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(8, 0).await.unwrap().slices;
    gate.set(false);
    let mut uploads = JoinSet::new();
    for lease in &leases[..MAX_TOGETHER] {
        let (lease, mut worker) = (lease.clone(), worker.clone());
        uploads.spawn(async move { worker.finish(&lease).await });
    }
    // All of them are on their way to a disk that does not answer.
    let handle = site.coordinator.handle();
    timeout(PATIENCE, async {
        while gate.commits.lock().unwrap().len() < 2 {
            worker.beat(&leases).await.unwrap();
        }
    })
    .await
    .unwrap();
    assert_eq!(worker.beat(&leases).await.unwrap().cancel.len(), 0);
    assert_eq!(handle.status("last").await.unwrap().committed, 0, "not durable, not committed");
    assert!(timeout(Duration::ZERO, uploads.join_next()).await.is_err(), "not acknowledged");
    gate.set(true);
    while let Some(outcome) = uploads.join_next().await {
        assert_eq!(outcome.unwrap().unwrap(), v1::UploadOutcome::Committed);
    }
    let commits = gate.commits.lock().unwrap().clone();
    assert_eq!(commits.iter().sum::<usize>(), MAX_TOGETHER);
    assert!(commits.len() < 1 + MAX_TOGETHER, "grouped: {commits:?}");
}

/// Below the bound of uploads in progress.
const MAX_TOGETHER: usize = 6;

#[tokio::test]
async fn a_damaged_result_is_named_given_up_and_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let options = CoordinatorOptions::new(folder.path().to_owned(), loopback());
    let start = || Coordinator::start(options.clone(), squares::registry());
    let coordinator = start().await.unwrap();
    let handle = coordinator.handle();
    handle.submit("squares", &["padding=5000".into()], 0).await.unwrap();
    let mut worker = Player::register(coordinator.access(), registration()).await.unwrap();
    worker.work().await;

    let entry = handle.catalog().find("last").unwrap();
    let (slice, committed) = entry.committed()[5];
    let path = folder.path().join("segments").join(format!("{:06}.seg", committed.place.segment));
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(b"damaged", committed.place.offset + 3_000).unwrap();
    let refused = handle.merge("last", None, false).await.unwrap_err();
    assert!(matches!(&refused, RequestError::Damaged(text) if text.contains("slice 5 of run 1")));
    assert!(entry.merged().is_none(), "no artifact");
    assert_eq!(slice.0, 5);
    let status = handle.status("last").await.unwrap();
    assert_eq!((status.committed, status.waiting), (15, 1));

    // Not even a restart brings it back.
    coordinator.shutdown().await.unwrap();
    let coordinator = start().await.unwrap();
    let handle = coordinator.handle();
    assert_eq!(handle.status("last").await.unwrap().waiting, 1);
    let mut worker = Player::register(coordinator.access(), registration()).await.unwrap();
    worker.work().await;
    assert!(handle.merge("last", None, false).await.is_ok());
    coordinator.shutdown().await.unwrap();
}

#[tokio::test]
#[expect(clippy::field_reassign_with_default, reason = "another field is private")]
async fn two_coordinators_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let options = CoordinatorOptions::new(folder.path().to_owned(), loopback());
    let coordinator = Coordinator::start(options.clone(), squares::registry()).await.unwrap();
    let mut store_options = crate::store::OpenOptions::default();
    store_options.lock_wait = Duration::ZERO;
    let refused = crate::store::SledStore::open(folder.path(), store_options);
    assert!(matches!(refused, Err(StoreError::Locked { .. })));
    coordinator.shutdown().await.unwrap();
    assert!(Coordinator::start(options, squares::registry()).await.is_ok());
}
