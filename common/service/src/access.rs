//! The access file: where a coordinator is, and the token that opens it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::secret_file::{read_secret, write_secret};
use crate::{AccessToken, ClientTls, TlsError, TlsFlags, TokenError};

/// Longest access file that is read, in bytes.
const MAX_ACCESS_BYTES: usize = 64 << 10;

/// How to reach a coordinator.
#[derive(Clone, Debug)]
pub struct Access {
    /// `http://host:port`, or `https://host:port` where it is encrypted.
    pub url: String,
    /// What every call must carry.
    pub token: AccessToken,
    /// Whom to trust, and what to show, where it is encrypted.
    pub tls: ClientTls,
}

/// The file's words. Private, so that nothing else can serialise a token.
#[derive(Serialize, Deserialize)]
struct AccessFile {
    url: String,
    token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca: Option<String>,
}

/// Why an access file was not read or not written.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Cannot be read.
    #[error(
        "cannot read access file {path}: {source}; the coordinator writes it when it starts",
        path = path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Cannot be written.
    #[error("cannot write access file {path}: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not an access file.
    #[error(
        "access file {path} is malformed: {problem}; it holds url = \"http://host:port\" and token = \"...\"",
        path = path.display()
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong; never repeats the token.
        problem: String,
    },
    /// The URL is not one of a coordinator.
    #[error(
        "'{0}' is not the URL of a coordinator; it has the form http://host:port or https://host:port"
    )]
    Url(String),
    /// A certificate or key.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl Access {
    /// Where a coordinator is, with its token.
    ///
    /// # Errors
    /// [`AccessError::Url`] unless the URL has the form `http://host:port` or `https://host:port`.
    pub fn new(url: &str, token: AccessToken) -> Result<Self, AccessError> {
        let refused = || AccessError::Url(url.to_owned());
        let uri: tonic::transport::Uri = url.parse().map_err(|_| refused())?;
        let complete = matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
            && uri.port_u16().is_some()
            && uri.path() == "/"
            && uri.query().is_none();
        let tls = ClientTls::default();
        if complete { Ok(Self { url: url.to_owned(), token, tls }) } else { Err(refused()) }
    }

    /// Whether what goes there is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.url.starts_with("https:")
    }

    /// The same, with what the flags say of trust.
    ///
    /// # Errors
    /// [`AccessError::Tls`].
    pub fn with_tls(mut self, flags: &TlsFlags) -> Result<Self, AccessError> {
        self.tls = self.tls.with(flags)?;
        Ok(self)
    }

    /// Reads an access file.
    ///
    /// # Errors
    /// [`AccessError::Read`] or [`AccessError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, AccessError> {
        let text = read_secret(path, MAX_ACCESS_BYTES)
            .map_err(|source| AccessError::Read { path: path.to_owned(), source })?;
        let malformed = |problem: String| AccessError::Malformed { path: path.to_owned(), problem };
        // The parser's own message would quote the line, and with it perhaps the token.
        let file: AccessFile = toml::from_str(&text)
            .map_err(|error: toml::de::Error| malformed(error.message().to_owned()))?;
        let token = file.token.parse().map_err(|error: TokenError| malformed(error.to_string()))?;
        let mut access =
            Self::new(&file.url, token).map_err(|error| malformed(error.to_string()))?;
        if let Some(ca) = file.ca {
            access.tls = ClientTls::trusting(ca, path)?;
        }
        Ok(access)
    }

    /// Writes the access file, readable by its owner alone: a reader sees the old one or the new one, whole.
    ///
    /// # Errors
    /// [`AccessError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), AccessError> {
        self.write_file(path).map_err(|source| AccessError::Write { path: path.to_owned(), source })
    }

    fn write_file(&self, path: &Path) -> io::Result<()> {
        let file = AccessFile {
            url: self.url.clone(),
            token: self.token.expose().to_owned(),
            ca: self.tls.ca().map(str::to_owned),
        };
        write_secret(path, &toml::to_string(&file).map_err(io::Error::other)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use proptest::prelude::*;

    use super::*;

    fn access() -> Access {
        Access::new("http://127.0.0.1:4711", AccessToken::random().unwrap()).unwrap()
    }

    #[test]
    fn written_for_the_owner_alone_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.toml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let access = access();
        access.write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let back = Access::read(&path).unwrap();
        assert_eq!(back.url, access.url);
        assert!(back.token.matches(access.token.expose()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
    }

    #[test]
    fn the_token_shows_neither_in_debug_nor_in_errors() {
        let access = access();
        assert!(!format!("{access:?}").contains(access.token.expose()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.toml");
        for text in [
            format!("token = \"{}\"", access.token.expose()),
            format!("url = \"http://h:1\"\ntoken = \"{}\" x", access.token.expose()),
            format!("url = \"ftp://h:1\"\ntoken = \"{}\"", access.token.expose()),
            format!("url = 3\ntoken = \"{}\"", access.token.expose()),
        ] {
            fs::write(&path, text).unwrap();
            let error = Access::read(&path).unwrap_err();
            assert!(matches!(error, AccessError::Malformed { .. }), "{error}");
            assert!(!format!("{error} {error:?}").contains(access.token.expose()), "{error}");
        }
    }

    #[test]
    fn only_urls_of_a_coordinator_are_taken() {
        let token = AccessToken::random().unwrap();
        for url in ["", "host:1", "http://host", "https://host", "http://host:1/x", "http://:1"] {
            assert!(Access::new(url, token.clone()).is_err(), "{url}");
        }
        for url in ["http://host:1", "http://[::1]:4711", "https://10.0.0.1:65535/"] {
            assert!(Access::new(url, token.clone()).is_ok(), "{url}");
        }
    }

    #[test]
    fn missing_and_oversized_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.toml");
        assert!(Access::read(&path).unwrap_err().to_string().contains("access.toml"));
        fs::write(&path, "#".repeat(MAX_ACCESS_BYTES + 1)).unwrap();
        assert!(Access::read(&path).unwrap_err().to_string().contains("longer than"));
    }

    proptest! {
        #[test]
        fn any_text_is_an_access_file_or_refused(
            text in "((url|token|ca) ?= ?\"(https?://)?[a-z0-9:./\\[\\]-]{0,70}\"\n|[ -~\n]{0,30}){0,5}",
        ) {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), text).unwrap();
            let _ = Access::read(file.path());
        }

        #[test]
        fn any_text_is_a_url_or_refused(url in "(https?://)?\\PC{0,20}(:[0-9]{0,6})?/?") {
            let _ = Access::new(&url, AccessToken::random().unwrap());
        }
    }
}
