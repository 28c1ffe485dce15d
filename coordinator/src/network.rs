//! What a coordinator shows to the network: its address, its certificate, and what it refuses to do in the open.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use fulldeck_service::{
    Access, AccessError, AccessToken, ClientTls, ServerTls, ServerTlsFiles, TlsFlags, host,
};
use tonic::transport::server::TcpIncoming;

use crate::error::StartError;
use crate::self_signed;

/// Where the certificate of a coordinator comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// There is none: nothing is encrypted.
    #[default]
    None,
    /// From files.
    Files(ServerTlsFiles),
    /// Made at every start, by a CA that is kept in the data folder.
    SelfSigned,
}

/// What others see of a coordinator.
#[derive(Clone, Debug, Default)]
pub struct NetworkOptions {
    /// Where its certificate comes from.
    pub encryption: Encryption,
    /// File of the CA of clients: they have to show a certificate of it.
    pub client_ca: Option<PathBuf>,
    /// File of the CA of the certificate, for the access files; needless where the system trusts it.
    pub ca: Option<PathBuf>,
    /// Name or address by which others reach it; else the address it listens on, or the name of the host.
    pub advertise: Option<String>,
    /// Listen on addresses that others can reach although nothing is encrypted.
    pub insecure_plaintext: bool,
}

/// A certificate, and what clients need to believe it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    pub(crate) server: Option<ServerTls>,
    client: ClientTls,
}

impl NetworkOptions {
    /// Listens, unless others could listen too.
    pub(crate) fn listen(
        &self,
        address: SocketAddr,
        flag: &'static str,
    ) -> Result<TcpIncoming, StartError> {
        let open = self.encryption == Encryption::None && !self.insecure_plaintext;
        if !address.ip().is_loopback() && open {
            return Err(StartError::PublicPlaintext { address, flag });
        }
        TcpIncoming::bind(address).map_err(|source| StartError::Listen { address, flag, source })
    }

    /// Reads what is in files; a certificate that has to be made comes later, when there is a data folder.
    pub(crate) fn credentials(&self) -> Result<Credentials, StartError> {
        let flags = TlsFlags { tls_ca: self.ca.clone(), ..TlsFlags::default() };
        let client = ClientTls::default().with(&flags)?;
        let server = match &self.encryption {
            Encryption::Files(files) => {
                Some(ServerTls::from_files(files, self.client_ca.as_deref())?)
            }
            Encryption::None | Encryption::SelfSigned => None,
        };
        // Used later, when there is a certificate, but looked at before anything is made.
        let flags = TlsFlags { tls_ca: self.client_ca.clone(), ..TlsFlags::default() };
        ClientTls::default().with(&flags)?;
        Ok(Credentials { server, client })
    }

    /// Makes the certificate that is to be made.
    pub(crate) fn complete(
        &self,
        credentials: Credentials,
        data_dir: &Path,
        address: SocketAddr,
    ) -> Result<Credentials, StartError> {
        if self.encryption != Encryption::SelfSigned {
            return Ok(credentials);
        }
        let mut names = vec![self.host(address), host::host_name()];
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        if !address.ip().is_unspecified() {
            names.push(address.ip().to_string());
        }
        names.sort();
        names.dedup();
        let made = self_signed::make(data_dir, names)?;
        let server = ServerTls::from_pem(&made.cert, &made.key, self.client_ca.as_deref())?;
        let client = ClientTls::trusting(made.ca, data_dir)?;
        Ok(Credentials { server: Some(server), client })
    }

    /// How to reach it, by this token.
    pub(crate) fn access(
        &self,
        credentials: &Credentials,
        address: SocketAddr,
        token: &AccessToken,
    ) -> Result<Access, AccessError> {
        let scheme = if credentials.server.is_some() { "https" } else { "http" };
        let host = match self.host(address) {
            host if host.contains(':') => format!("[{host}]"),
            host => host,
        };
        let url = format!("{scheme}://{host}:{}", address.port());
        Ok(Access { tls: credentials.client.clone(), ..Access::new(&url, token.clone())? })
    }

    /// Name or address for others, without brackets.
    fn host(&self, address: SocketAddr) -> String {
        match &self.advertise {
            Some(name) => name.trim_start_matches('[').trim_end_matches(']').to_owned(),
            None if address.ip().is_unspecified() => host::host_name(),
            None => address.ip().to_string(),
        }
    }
}
