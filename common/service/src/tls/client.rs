//! What a client trusts, and what it shows.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

use super::pem::{self, TlsError};

/// Flags of every program that speaks to a coordinator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct TlsFlags {
    /// CA that the coordinator's certificate comes from, PEM [default: that of the access file, else those of the system]
    #[arg(long = "tls-ca", env = "FULLDECK_TLS_CA", value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
    /// Certificate to show to a coordinator that asks for one, PEM
    #[arg(long = "tls-client-cert", env = "FULLDECK_TLS_CLIENT_CERT", value_name = "FILE")]
    #[arg(requires = "tls_client_key")]
    pub tls_client_cert: Option<PathBuf>,
    /// Its private key, PEM
    #[arg(long = "tls-client-key", env = "FULLDECK_TLS_CLIENT_KEY", value_name = "FILE")]
    #[arg(requires = "tls_client_cert")]
    pub tls_client_key: Option<PathBuf>,
}

/// What a client trusts and shows. `Debug` hides the key.
#[derive(Clone, Default)]
pub struct ClientTls {
    ca: Option<String>,
    identity: Option<(String, String)>,
}

impl ClientTls {
    /// Trusts this CA, in PEM form, and no other.
    ///
    /// # Errors
    /// [`TlsError`] if the text holds no certificate; `origin` is where it came from.
    pub fn trusting(ca: String, origin: &Path) -> Result<Self, TlsError> {
        pem::certificates(origin, &ca)?;
        Ok(Self { ca: Some(ca), identity: None })
    }

    /// The CA in PEM form; `None` where those of the system are trusted.
    #[must_use]
    pub fn ca(&self) -> Option<&str> {
        self.ca.as_deref()
    }

    /// What the flags say, beside or in place of what is there.
    ///
    /// # Errors
    /// [`TlsError`] for a file that cannot be read or does not hold what it should.
    pub fn with(mut self, flags: &TlsFlags) -> Result<Self, TlsError> {
        if let Some(path) = &flags.tls_ca {
            self.ca = Self::trusting(pem::public_text(path)?, path)?.ca;
        }
        if let (Some(cert), Some(key)) = (&flags.tls_client_cert, &flags.tls_client_key) {
            let (shown, secret) = (pem::public_text(cert)?, pem::secret_text(key)?);
            pem::certificates(cert, &shown)?;
            pem::key(key, &secret)?;
            self.identity = Some((shown, secret));
        }
        Ok(self)
    }

    /// The same for rustls itself, with HTTP/2 spoken inside; `None` if there is nothing to trust.
    pub(crate) fn rustls_config(&self) -> Option<Arc<ClientConfig>> {
        let here = Path::new("");
        let mut roots = RootCertStore::empty();
        match &self.ca {
            Some(ca) => roots.add_parsable_certificates(pem::certificates(here, ca).ok()?),
            None => roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
        };
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .ok()?
            .with_root_certificates(roots);
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((cert, key)) => builder
                .with_client_auth_cert(
                    pem::certificates(here, cert).ok()?,
                    pem::key(here, key).ok()?,
                )
                .ok()?,
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        Some(Arc::new(config))
    }

    pub(crate) fn config(&self) -> ClientTlsConfig {
        let config = ClientTlsConfig::new();
        let config = match &self.ca {
            Some(ca) => config.ca_certificate(Certificate::from_pem(ca)),
            None => config.with_native_roots(),
        };
        match &self.identity {
            Some((cert, key)) => config.identity(Identity::from_pem(cert, key)),
            None => config,
        }
    }
}

impl fmt::Debug for ClientTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTls")
            .field("ca", &self.ca.is_some())
            .field("identity", &self.identity.as_ref().map(|_| "hidden"))
            .finish()
    }
}
