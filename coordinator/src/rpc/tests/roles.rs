//! Who may do what.

use fulldeck_service::{AccessToken, Role};
use tonic::Code;

use super::*;

impl Site {
    /// As the holder of a role sees it.
    fn access(&self, role: Role) -> Access {
        Access::read(&self.folder.path().join(role.access_file())).unwrap()
    }
}

fn submission() -> v1::SubmitRequest {
    v1::SubmitRequest { workload: "squares".into(), ..Default::default() }
}

/// Submit, register and list as the holder of this access.
async fn tries(access: &Access) -> [Result<(), Status>; 3] {
    let mut admin = admin(access).await;
    [
        admin.submit(submission()).await.map(drop),
        Player::register(access, registration()).await.map(drop),
        admin.list_runs(v1::ListRunsRequest {}).await.map(drop),
    ]
}

#[tokio::test]
async fn each_role_may_do_what_is_its_own() {
    let site = Site::new().await;
    let codes = async |role: Role| {
        tries(&site.access(role)).await.map(|tried| tried.err().map(|status| status.code()))
    };
    const NO: Option<Code> = Some(Code::PermissionDenied);
    assert_eq!(codes(Role::Reader).await, [NO, NO, None]);
    assert_eq!(codes(Role::Worker).await, [NO, None, None]);
    assert_eq!(codes(Role::Operator).await, [None, None, None]);
}

#[tokio::test]
async fn a_refusal_says_whose_token_is_needed_and_nothing_else() {
    let site = Site::new().await;
    let [submit, register, _] = tries(&site.access(Role::Reader)).await;
    assert_eq!(
        submit.unwrap_err().message(),
        "the reader token does not allow Submit; use the operator's access file, access.toml"
    );
    assert_eq!(
        register.unwrap_err().message(),
        "the reader token does not allow Register; use the worker's access file, access-worker.toml"
    );
    let mut foreign = site.access(Role::Operator);
    foreign.token = AccessToken::random().unwrap();
    for tried in tries(&foreign).await {
        let status = tried.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated);
        assert!(!status.message().contains(foreign.token.expose()));
    }
    assert!(site.coordinator.handle().runs().await.unwrap().is_empty(), "nothing was submitted");
}

#[tokio::test]
async fn without_a_token_nothing_is_told_but_health() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_client::HealthClient;
    let site = Site::new().await;
    let channel = channel(site.coordinator.access()).await;
    for service in ["", "fulldeck.v1.WorkerService", "fulldeck.v1.AdminService"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        assert!(HealthClient::new(channel.clone()).check(request).await.is_ok(), "{service}");
    }
    let mut admin = AdminServiceClient::new(channel.clone());
    let refused = admin.list_runs(v1::ListRunsRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    // Whether a call exists is nobody's business either.
    let mut raw = tonic::client::Grpc::new(channel);
    raw.ready().await.unwrap();
    let path = http::uri::PathAndQuery::from_static("/fulldeck.v1.AdminService/Nothing");
    let codec = tonic_prost::ProstCodec::<v1::ListRunsRequest, v1::ListRunsResponse>::default();
    let refused =
        raw.unary(tonic::Request::new(v1::ListRunsRequest {}), path, codec).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
}
