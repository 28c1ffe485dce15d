//! What a server shows, and what it asks of clients.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use super::pem::{self, TlsError};

/// Files of a server: all PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTlsFiles {
    /// Its certificate and those between it and the CA.
    pub cert: PathBuf,
    /// The key of the certificate.
    pub key: PathBuf,
}

/// What a server shows and asks for. `Debug` hides the key.
#[derive(Clone)]
pub struct ServerTls(Arc<ServerConfig>);

impl ServerTls {
    /// From files; clients have to show a certificate of `client_ca` if that is given.
    ///
    /// # Errors
    /// [`TlsError`] for a file that cannot be read or does not hold what it should, and for a key that is not that of
    /// the certificate.
    pub fn from_files(files: &ServerTlsFiles, client_ca: Option<&Path>) -> Result<Self, TlsError> {
        let cert = pem::certificates(&files.cert, &pem::public_text(&files.cert)?)?;
        let key = pem::key(&files.key, &pem::secret_text(&files.key)?)?;
        Self::new(cert, key, client_ca).map_err(|error| error.of(files))
    }

    /// From PEM texts that were just made.
    ///
    /// # Errors
    /// [`TlsError`] as [`ServerTls::from_files`].
    pub fn from_pem(cert: &str, key: &str, client_ca: Option<&Path>) -> Result<Self, TlsError> {
        let files = ServerTlsFiles { cert: "the certificate".into(), key: "the key".into() };
        let parsed = pem::certificates(&files.cert, cert)?;
        let key = pem::key(&files.key, key)?;
        Self::new(parsed, key, client_ca).map_err(|error| error.of(&files))
    }

    fn new(
        cert: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        client_ca: Option<&Path>,
    ) -> Result<Self, Refusal> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| Refusal::Pair(error.to_string()))?;
        let builder = match client_ca {
            None => builder.with_no_client_auth(),
            Some(path) => builder.with_client_cert_verifier(verifier(path, provider)?),
        };
        let config = builder
            .with_single_cert(cert, key)
            .map_err(|error| Refusal::Pair(error.to_string()))?;
        Ok(Self(Arc::new(config)))
    }

    /// For rustls, with the protocols that are spoken on the encrypted connection.
    #[must_use]
    pub fn config(&self, protocols: &[&str]) -> Arc<ServerConfig> {
        let mut config = (*self.0).clone();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }
}

fn verifier(
    path: &Path,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, Refusal> {
    let refused = |problem: String| TlsError::ClientCa { path: path.to_owned(), problem };
    let mut roots = RootCertStore::empty();
    for certificate in pem::certificates(path, &pem::public_text(path)?)? {
        roots.add(certificate).map_err(|error| refused(error.to_string()))?;
    }
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| refused(error.to_string()))?;
    Ok(verifier)
}

/// Why a server cannot be made, before the files of its certificate are named.
enum Refusal {
    Named(TlsError),
    Pair(String),
}

impl From<TlsError> for Refusal {
    fn from(error: TlsError) -> Self {
        Self::Named(error)
    }
}

impl Refusal {
    fn of(self, files: &ServerTlsFiles) -> TlsError {
        match self {
            Self::Named(error) => error,
            Self::Pair(problem) => {
                TlsError::Pair { cert: files.cert.clone(), key: files.key.clone(), problem }
            }
        }
    }
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerTls(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_checked_before_anything_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let other = rcgen::KeyPair::generate().unwrap();
        fs::write(path("cert"), made.cert.pem()).unwrap();
        fs::write(path("key"), made.signing_key.serialize_pem()).unwrap();
        fs::write(path("other"), other.serialize_pem()).unwrap();
        let open = |cert: &str, key: &str, ca: Option<&str>| {
            let files = ServerTlsFiles { cert: path(cert), key: path(key) };
            let opened = ServerTls::from_files(&files, ca.map(path).as_deref());
            opened.map_err(|error| error.to_string())
        };
        assert!(open("cert", "key", None).is_ok());
        assert!(open("cert", "key", Some("cert")).is_ok());
        for (cert, key, ca, part) in [
            ("none", "key", None, "cannot read"),
            ("key", "key", None, "holds no certificate"),
            ("cert", "cert", None, "holds no private key"),
            ("cert", "other", None, "cannot be used together"),
            ("cert", "key", Some("key"), "holds no certificate"),
        ] {
            let refusal = open(cert, key, ca).unwrap_err();
            assert!(refusal.contains(part), "{refusal}");
        }
    }
}
