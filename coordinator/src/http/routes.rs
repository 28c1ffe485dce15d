//! What is answered where.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use fulldeck_service::Role;
use serde_json::{Map, Value, json};

use super::metrics::{CONTENT_TYPE, Sources, exposition};
use crate::error::RequestError;
use crate::handle::CoordinatorHandle;
use crate::net::Guest;
use crate::rpc::Guard;
use crate::view;

/// What the answers are made of.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) handle: CoordinatorHandle,
    pub(crate) guard: Guard,
    pub(crate) sources: Sources,
    /// Only this machine can reach the listener: no token is needed.
    pub(crate) is_local: bool,
}

pub(super) fn router(site: Site) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/api/v1/runs", get(runs))
        .route("/api/v1/runs/{run}", get(run))
        .route("/api/v1/workers", get(workers))
        .route_layer(from_fn_with_state(site.clone(), with_token))
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .fallback(async || {
            Failure::new(StatusCode::NOT_FOUND, "not_found", "there is no such page")
        })
        .layer(from_fn_with_state(site.clone(), own_name))
        .with_state(site)
}

/// Lets a browser that was led here by a foreign name see nothing: where no token is needed, the address must be one of
/// this machine.
async fn own_name(State(site): State<Site>, request: Request, next: Next) -> Response {
    if site.is_local && !names_this_machine(request.headers()) {
        let text = "use the address localhost or 127.0.0.1";
        return Failure::new(StatusCode::FORBIDDEN, "usage", text).into_response();
    }
    next.run(request).await
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST) else { return true };
    let Some(authority) =
        host.to_str().ok().and_then(|host| host.parse::<http::uri::Authority>().ok())
    else {
        return false;
    };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

async fn with_token(State(site): State<Site>, request: Request, next: Next) -> Response {
    if let Err(failure) = admit(&site, &request) {
        return failure.into_response();
    }
    next.run(request).await
}

/// Whether the caller may look.
fn admit(site: &Site, request: &Request) -> Result<(), Failure> {
    let guest = request.extensions().get::<Arc<Guest>>();
    if !site.is_local
        && let Err(status) = site.guard.judge(request.headers(), Role::Reader, "looking")
    {
        let address = guest.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |guest| guest.peer.ip());
        site.guard.refusals.note(address, status.message());
        return Err(Failure::new(StatusCode::UNAUTHORIZED, "usage", status.message()));
    }
    if let Some(guest) = guest {
        guest.welcome();
    }
    Ok(())
}

async fn ready(State(site): State<Site>, request: Request) -> Response {
    let Some(reason) = site.handle.failure() else { return "ready\n".into_response() };
    // The reason names a path: nothing for strangers.
    let told = match admit(&site, &request) {
        Ok(()) => format!("not ready: nothing more is leased or stored: {reason}\n"),
        Err(_) => "not ready\n".to_owned(),
    };
    (StatusCode::SERVICE_UNAVAILABLE, told).into_response()
}

async fn metrics(State(site): State<Site>) -> Result<Response, Failure> {
    let text = exposition(&site.handle, &site.sources).await?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}

async fn runs(State(site): State<Site>) -> Result<Json<Value>, Failure> {
    let runs: Vec<_> = site.handle.runs().await?.iter().map(view::run).collect();
    Ok(answer(view::object(json!({ "runs": runs }))))
}

async fn run(State(site): State<Site>, Path(run): Path<String>) -> Result<Json<Value>, Failure> {
    Ok(answer(view::run(&site.handle.status(&run).await?)))
}

async fn workers(State(site): State<Site>) -> Result<Json<Value>, Failure> {
    let workers: Vec<_> = site.handle.workers().await?.iter().map(view::worker).collect();
    Ok(answer(view::object(json!({ "workers": workers }))))
}

fn answer(fields: Map<String, Value>) -> Json<Value> {
    Json(Value::Object(view::versioned(fields)))
}

/// An error as the program prints it with `-o json`.
struct Failure {
    code: StatusCode,
    kind: &'static str,
    message: String,
}

impl Failure {
    fn new(code: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { code, kind, message: message.into() }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        let (code, kind) = match &error {
            RequestError::NotFound(_) => (StatusCode::NOT_FOUND, "not_found"),
            RequestError::BadInput(_) => (StatusCode::BAD_REQUEST, "usage"),
            RequestError::Unavailable(_) | RequestError::Halted(_) => {
                (StatusCode::SERVICE_UNAVAILABLE, "unreachable")
            }
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "unexpected"),
        };
        Self::new(code, kind, error.to_string())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (message, hint) = match self.message.split_once("; ") {
            Some((message, hint)) => (message, Some(hint)),
            None => (&self.message[..], None),
        };
        let error = json!({ "kind": self.kind, "message": message, "hint": hint });
        (self.code, answer(view::object(json!({ "error": error })))).into_response()
    }
}
