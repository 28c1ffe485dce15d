//! From submission to answer, and what is refused on the way.

use std::os::unix::fs::PermissionsExt as _;

use fulldeck_service::{AccessToken, Role};
use tonic::Code;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response};

use super::*;
use crate::{RequestError, StartError};

#[tokio::test]
async fn a_run_from_submission_to_answer() {
    let site = Site::new().await;
    let mut admin = admin(site.coordinator.access()).await;
    let request = v1::SubmitRequest {
        workload: "squares".into(),
        parameters: vec!["rows=5".into()],
        ..Default::default()
    };
    let dry = v1::SubmitRequest { dry_run: true, ..request.clone() };
    let dry = admin.submit(dry).await.unwrap().into_inner();
    assert_eq!((dry.slices, dry.jobs, dry.existed), (10, 2, false));
    assert!(admin.list_runs(v1::ListRunsRequest {}).await.unwrap().into_inner().runs.is_empty());

    let first = admin.submit(request.clone()).await.unwrap().into_inner();
    let again = v1::SubmitRequest { slice_target: 3, ..request };
    let again = admin.submit(again).await.unwrap().into_inner();
    assert!(!first.existed && again.existed);
    assert_eq!(first.spec, again.spec, "the plan stays");

    let mut worker = site.worker().await;
    let leases = worker.lease(1, 0).await.unwrap().slices;
    assert_eq!(leases.iter().map(|lease| lease.slice).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(worker.finish(&leases[0]).await.unwrap(), v1::UploadOutcome::Committed);
    let status = site.status().await;
    assert_eq!(status.state(), v1::RunState::Running);
    assert_eq!((status.committed, status.leased, status.waiting), (1, 1, 8));
    assert_eq!((status.cost, status.committed_cost, status.stored_bytes), (10, 1, 8));
    assert!(status.no_estimate_because.contains("fewer than 3"));
    assert!(status.last_commit_seconds_ago.is_some());

    let merge = || v1::MergeRequest { run: "last".into(), job: None, again: false };
    let refused = admin.merge(merge()).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains("9 of 10"), "{refused}");
    assert!(refused.message().contains("slices 1-4 of low, slices 5-9 of high"), "{refused}");

    assert_eq!(worker.finish(&leases[1]).await.unwrap(), v1::UploadOutcome::Committed);
    worker.work().await;
    let status = site.status().await;
    assert_eq!(status.state(), v1::RunState::Finished);
    assert_eq!(status.jobs.iter().map(|job| job.committed).collect::<Vec<_>>(), [5, 5]);
    assert_eq!(status.artifact, "");
    let workers = admin.list_workers(v1::ListWorkersRequest {}).await.unwrap().into_inner().workers;
    assert_eq!((workers[0].name.as_str(), workers[0].committed), ("amy", 10));
    assert_eq!(workers[0].cpu, "portable (0.0.0 test)");

    let query = |question: &str| v1::QueryRequest {
        run: "1".into(),
        question: vec![question.to_owned()],
        job: None,
    };
    assert_eq!(admin.query(query("7")).await.unwrap_err().code(), Code::NotFound);
    let merged = admin.merge(merge()).await.unwrap().into_inner();
    let manifest: fulldeck_artifact::Manifest =
        serde_json::from_str(&merged.manifest_json).unwrap();
    assert_eq!(manifest.provenance.slices, 10);
    assert_eq!(site.status().await.artifact, merged.path);
    assert_eq!(admin.merge(merge()).await.unwrap().into_inner(), merged, "at once, the same");
    let answer = admin.query(query("7")).await.unwrap().into_inner().answer_json;
    assert_eq!(answer, r#"{"square":49}"#);
    assert_eq!(admin.query(query("x")).await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn runs_are_named_by_number_prefix_or_last() {
    let site = Site::new().await;
    let handle = site.coordinator.handle();
    assert!(matches!(handle.status("last").await, Err(RequestError::NotFound(_))));
    let first = site.submit(&["rows=3"]).await.spec.unwrap();
    site.submit(&["rows=4"]).await;
    let digits: String = first.fingerprint.iter().map(|byte| format!("{byte:02x}")).collect();
    for (name, run) in [("1", 1), ("2", 2), ("last", 2), (&digits[..9], 1), (&digits, 1)] {
        assert_eq!(handle.status(name).await.unwrap().spec.unwrap().run, run, "{name}");
    }
    for (name, code) in [("3", Code::NotFound), ("abc", Code::InvalidArgument)] {
        let status = Status::from(handle.status(name).await.unwrap_err());
        assert_eq!(status.code(), code, "{name}: {status}");
    }
    let refused = handle.submit("cubes", &[], 0).await.unwrap_err();
    assert!(matches!(&refused, RequestError::NotFound(text) if text.contains("squares")));
    let refused = handle.submit("squares", &["rows=0".into()], 0).await.unwrap_err();
    assert!(matches!(&refused, RequestError::BadInput(text) if text.contains("from 1 to 1000")));
    let refused = handle.focus(1, &["middle".into()]).await.unwrap_err();
    assert!(matches!(&refused, RequestError::BadInput(text) if text.contains("low, high")));
}

#[tokio::test]
async fn without_the_token_only_health_answers() {
    let site = Site::new().await;
    let access = site.coordinator.access();
    let wrong = Access { token: AccessToken::random().unwrap(), ..access.clone() };
    let refused = Player::register(&wrong, registration()).await.err().unwrap();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let refused = admin(&wrong).await.list_runs(v1::ListRunsRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let mut bare = AdminServiceClient::new(channel(access).await);
    let refused = bare.list_workers(v1::ListWorkersRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let mut health = HealthClient::new(channel(access).await);
    for service in ["", "fulldeck.v1.WorkerService", "fulldeck.v1.AdminService"] {
        let request = HealthCheckRequest { service: service.into() };
        let answer = health.check(request).await.unwrap().into_inner();
        assert_eq!(answer.status(), health_check_response::ServingStatus::Serving, "{service}");
    }
}

#[tokio::test]
async fn versions_refuse_each_other_in_plain_words() {
    let site = Site::new().await;
    let access = site.coordinator.access();
    let other = v1::RegisterRequest { protocol_major: 2, ..registration() };
    let refused = Player::register(access, other).await.err().unwrap();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(
        refused.message(),
        "worker speaks protocol 2, coordinator 1: install the same release on both"
    );
    let workloads = vec![v1::WorkloadVersion { name: "squares".into(), algorithm_version: 7 }];
    let other = v1::RegisterRequest { workloads, ..registration() };
    let refused = Player::register(access, other).await.err().unwrap();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(
        refused.message(),
        "worker computes squares version 7, coordinator version 1: install the same release on both"
    );
    let newer = v1::RegisterRequest { protocol_minor: 99, ..registration() };
    assert!(Player::register(access, newer).await.is_ok(), "a minor version may differ");
}

#[tokio::test]
async fn a_store_of_another_version_is_refused_at_the_start() {
    let site = Site::new().await;
    site.submit(&[]).await;
    site.coordinator.shutdown().await.unwrap();
    let options = CoordinatorOptions::new(site.folder.path().to_owned(), loopback());
    let newer = Registry::new(vec![std::sync::Arc::new(squares::Squares { version: 2 })]);
    for (registry, word) in [(newer, "version 2"), (Registry::default(), "does not know")] {
        let store = Box::new(MemoryStore::open(&site.disk).unwrap());
        let refused = Coordinator::start_on(options.clone(), registry, store).await.err().unwrap();
        assert!(matches!(refused, StartError::Conflict(_)), "{refused}");
        assert!(refused.to_string().contains(word), "{refused}");
    }
}

#[tokio::test]
async fn public_addresses_need_the_flag_and_the_access_file_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let mut options =
        CoordinatorOptions::new(folder.path().to_owned(), "0.0.0.0:0".parse().unwrap());
    let disk = MemoryDisk::new([1; 16]);
    let open = || Box::new(MemoryStore::open(&disk).unwrap());
    let start = |options, store| Coordinator::start_on(options, squares::registry(), store);
    let refused = start(options.clone(), open()).await.err().unwrap();
    assert!(matches!(refused, StartError::PublicPlaintext { .. }), "{refused}");
    assert!(!options.access_file(Role::Operator).exists());
    options.network.insecure_plaintext = true;
    let coordinator = start(options.clone(), open()).await.unwrap();
    let mode = std::fs::metadata(options.access_file(Role::Operator)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let first = Access::read(&options.access_file(Role::Operator)).unwrap();
    assert!(first.url.ends_with(&coordinator.address().port().to_string()));
    coordinator.shutdown().await.unwrap();
    // The token outlives the coordinator, for workers with a copy of the file.
    let coordinator = start(options, open()).await.unwrap();
    assert!(coordinator.access().token.matches(first.token.expose()));
}

#[tokio::test]
async fn a_taken_address_is_named() {
    let site = Site::new().await;
    let folder = tempfile::tempdir().unwrap();
    let options = CoordinatorOptions::new(folder.path().to_owned(), site.coordinator.address());
    let store = Box::new(MemoryStore::open(&MemoryDisk::new([2; 16])).unwrap());
    let refused = Coordinator::start_on(options, squares::registry(), store).await.err().unwrap();
    assert!(matches!(refused, StartError::Listen { .. }), "{refused}");
    assert!(refused.to_string().contains(&site.coordinator.address().to_string()));
}
