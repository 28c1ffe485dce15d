//! The token on the wire: `authorization: Bearer TOKEN`.

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::AccessToken;

const HEADER: &str = "authorization";
const SCHEME: &str = "Bearer ";

/// Puts the token into every call of a client.
#[derive(Clone)]
pub struct BearerClient(MetadataValue<Ascii>);

impl BearerClient {
    /// An interceptor for clients.
    ///
    /// # Panics
    /// Never: a token is made of hexadecimal digits.
    #[must_use]
    pub fn new(token: &AccessToken) -> Self {
        let mut value = MetadataValue::try_from(format!("{SCHEME}{}", token.expose()))
            .expect("hexadecimal digits are visible ASCII");
        value.set_sensitive(true);
        Self(value)
    }
}

impl Interceptor for BearerClient {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert(HEADER, self.0.clone());
        Ok(request)
    }
}

/// Refuses every call that does not carry the token.
#[derive(Clone, Debug)]
pub struct BearerServer(AccessToken);

impl BearerServer {
    /// An interceptor for servers.
    #[must_use]
    pub fn new(token: AccessToken) -> Self {
        Self(token)
    }
}

impl Interceptor for BearerServer {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let presented = request
            .metadata()
            .get(HEADER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix(SCHEME));
        match presented {
            Some(token) if self.0.matches(token) => Ok(request),
            Some(_) => Err(Status::unauthenticated(
                "the token is not this coordinator's; use the access file it wrote when it started",
            )),
            None => Err(Status::unauthenticated(
                "the call carries no token; use the access file the coordinator wrote",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    #[test]
    fn the_right_token_passes_and_no_other() {
        let (token, other) = (AccessToken::random().unwrap(), AccessToken::random().unwrap());
        let mut server = BearerServer::new(token.clone());
        let carrying = |token| BearerClient::new(token).call(Request::new(())).unwrap();
        assert!(server.call(carrying(&token)).is_ok());
        for refused in [carrying(&other), Request::new(())] {
            let status = server.call(refused).unwrap_err();
            assert_eq!(status.code(), Code::Unauthenticated);
            assert!(status.message().contains("access file"));
        }
    }

    #[test]
    fn debug_of_a_request_hides_the_token() {
        let token = AccessToken::random().unwrap();
        let request = BearerClient::new(&token).call(Request::new(())).unwrap();
        assert!(!format!("{request:?}").contains(token.expose()));
    }
}
