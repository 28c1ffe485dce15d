//! Before any call is served: whether its caller may make it, and until when it has to be answered.

use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use fulldeck_service::{Role, TokenBook, presented};
use http::{HeaderMap, Request, Response};
use tokio::sync::watch;
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use super::calls::rule_of;
use super::status::{stranger, too_little, too_slow, unknown_token};
use crate::net::{Guest, Refusals};

/// Who may do what, as it stands at the moment. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) book: watch::Receiver<Arc<TokenBook>>,
    pub(crate) refusals: Refusals,
}

impl Guard {
    /// Whether a call with these headers may do what needs `needed`.
    pub(crate) fn judge(
        &self,
        headers: &HeaderMap,
        needed: Role,
        what: &str,
    ) -> Result<Role, Box<Status>> {
        let Some(token) = presented(headers) else { return Err(Box::new(stranger())) };
        match self.book.borrow().role_of(token) {
            None => Err(Box::new(unknown_token())),
            Some(role) if role.allows(needed) => Ok(role),
            Some(role) => Err(Box::new(too_little(role, needed, what))),
        }
    }

    fn admit(&self, request: &Request<Body>, needed: Role) -> Result<(), Box<Status>> {
        let path = request.uri().path();
        let what = path.rsplit('/').next().unwrap_or_default();
        let guest = request.extensions().get::<Arc<Guest>>();
        match self.judge(request.headers(), needed, what) {
            Ok(_) => {
                if let Some(guest) = guest {
                    guest.welcome();
                }
                Ok(())
            }
            Err(status) => {
                let address =
                    guest.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |guest| guest.peer.ip());
                self.refusals.note(address, status.message());
                Err(status)
            }
        }
    }
}

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { guard: self.clone(), inner }
    }
}

/// A service behind the guard.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<S> {
    guard: Guard,
    inner: S,
}

impl<S> Service<Request<Body>> for Guarded<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let rule = rule_of(request.uri().path());
        if let Some(needed) = rule.needs
            && let Err(status) = self.guard.admit(&request, needed)
        {
            return Box::pin(async move { Ok(status.into_http()) });
        }
        let answer = self.inner.call(request);
        Box::pin(async move {
            match tokio::time::timeout(rule.deadline, answer).await {
                Ok(answer) => answer,
                Err(_) => {
                    let text = format!("no answer within {:?}", rule.deadline);
                    Ok(too_slow(text).into_http())
                }
            }
        })
    }
}
