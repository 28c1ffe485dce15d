//! The token on the wire: `authorization: Bearer TOKEN`.

use http::HeaderMap;
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

/// The token that a call carries, whatever it may be worth.
#[must_use]
pub fn presented(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER)?.to_str().ok()?.strip_prefix(SCHEME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_carries_is_what_a_server_sees() {
        let token = AccessToken::random().unwrap();
        let request = BearerClient::new(&token).call(Request::new(())).unwrap();
        let headers = request.metadata().clone().into_headers();
        assert_eq!(presented(&headers), Some(token.expose()));
        assert_eq!(presented(&HeaderMap::new()), None);
        for other in ["", "Bearer", "Basic eA==", "bearer x"] {
            let headers = [(http::header::AUTHORIZATION, other.parse().unwrap())];
            assert_eq!(presented(&headers.into_iter().collect()), None, "{other}");
        }
    }

    #[test]
    fn debug_of_a_request_hides_the_token() {
        let token = AccessToken::random().unwrap();
        let request = BearerClient::new(&token).call(Request::new(())).unwrap();
        assert!(!format!("{request:?}").contains(token.expose()));
    }
}
