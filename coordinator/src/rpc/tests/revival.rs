//! A store that fails comes back, and everybody goes on where they were.

use std::time::Duration;

use fulldeck_proto::v1;
use tokio::time::timeout;
use tonic::Code;

use super::{PATIENCE, Site, loopback};
use crate::CoordinatorOptions;
use crate::error::RequestError;
use crate::store::{
    Change, MemoryDisk, MemoryStore, Place, RecoveredRun, ResultReader, Store, StoreError,
    StoreIdentity,
};

/// A coordinator that looks at its disk all the time.
async fn restless(
    min_free_bytes: Option<u64>,
    wrap: impl FnOnce(MemoryStore) -> Box<dyn Store>,
) -> Site {
    let (disk, folder) = (MemoryDisk::new([3; 16]), tempfile::tempdir().unwrap());
    let store = wrap(MemoryStore::open(&disk).unwrap());
    let mut options = CoordinatorOptions::new(folder.path().to_owned(), loopback());
    options.space.min_free_bytes = min_free_bytes;
    options.space.check_every = Duration::from_millis(10);
    Site::with_options(disk, folder, store, options).await
}

#[tokio::test]
async fn with_space_the_store_comes_back_and_workers_go_on() {
    let site = restless(None, |store| Box::new(store)).await;
    site.submit(&[]).await;
    let mut worker = site.worker().await;
    let leases = worker.lease(2, 0).await.unwrap().slices;
    let handle = site.coordinator.handle();
    for round in 0..4 {
        site.disk.set_full(true);
        let refused = worker.finish(&leases[round]).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        let reason = timeout(PATIENCE, handle.store_failed()).await.unwrap();
        assert!(reason.contains("full"), "{reason}");
        site.disk.set_full(false);
        timeout(PATIENCE, handle.store_serves()).await.unwrap();
        // The session and the attempts are what they were.
        assert_eq!(worker.beat(&leases[round..]).await.unwrap().store_failed, "");
        assert_eq!(worker.finish(&leases[round]).await.unwrap(), v1::UploadOutcome::Committed);
    }
    assert_eq!(site.status().await.store_failed, "");
    worker.work().await;
    assert_eq!(site.status().await.state(), v1::RunState::Finished);
    site.coordinator.shutdown().await.expect("nothing is wrong any more");
}

/// A store whose every commit of a result or a run is durable, and every other one says it is not.
struct Treacherous {
    inner: MemoryStore,
    faithful: bool,
}

impl Store for Treacherous {
    fn identity(&self) -> StoreIdentity {
        self.inner.identity()
    }

    fn recover(&self) -> Result<Vec<RecoveredRun>, StoreError> {
        self.inner.recover()
    }

    fn commit(&mut self, changes: &[Change]) -> Result<Vec<Place>, StoreError> {
        let places = self.inner.commit(changes)?;
        self.faithful = !self.faithful;
        if self.faithful { Ok(places) } else { Err(StoreError::DiskFull { path: "x".into() }) }
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

#[tokio::test]
async fn what_was_durable_and_not_acknowledged_counts_once_the_store_is_back() {
    let site = restless(None, |inner| Box::new(Treacherous { inner, faithful: true })).await;
    let handle = site.coordinator.handle();
    let refused = handle.submit("squares", &[], 0).await.unwrap_err();
    assert!(matches!(refused, RequestError::Halted(_)), "{refused}");
    let again = timeout(PATIENCE, async {
        loop {
            // It may not have heard yet that it failed, or not yet that it goes on.
            match handle.submit("squares", &[], 0).await {
                Ok(again) => break again,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    });
    assert!(again.await.unwrap().existed, "the run is there");

    let mut worker = site.worker().await;
    let leases = worker.lease(2, 0).await.unwrap().slices;
    // The first is durable and told, the second is durable and not told.
    assert_eq!(worker.finish(&leases[0]).await.unwrap(), v1::UploadOutcome::Committed);
    worker.finish(&leases[1]).await.unwrap_err();
    timeout(PATIENCE, handle.store_serves()).await.unwrap();
    assert_eq!(site.status().await.committed, 2);
    assert_eq!(worker.finish(&leases[1]).await.unwrap(), v1::UploadOutcome::Duplicate);
    let cancelled = worker.beat(&leases[..2]).await.unwrap().cancel;
    assert_eq!(cancelled.len(), 2, "nobody is to compute them any longer");
}

#[tokio::test]
async fn without_space_nothing_is_leased_and_everybody_knows_why() {
    let site = restless(Some(u64::MAX), |store| Box::new(store)).await;
    let handle = site.coordinator.handle();
    site.submit(&[]).await;
    let reason = timeout(PATIENCE, handle.leasing_held()).await.unwrap();
    assert!(reason.contains("nearly full"), "{reason}");
    let mut worker = site.worker().await;
    assert_eq!(worker.lease(2, 0).await.unwrap().slices, []);
    let status = site.status().await;
    assert!(status.no_estimate_because.contains(&reason), "{}", status.no_estimate_because);
    assert_eq!(status.store_failed, "");
}
