//! Certificates and keys in PEM files.

use std::io;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::secret_file::{read_bounded, read_secret};

/// Longest file of certificates or keys that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Why certificates or keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file does not hold what it should.
    #[error("{path} holds no {what} in PEM form; it begins with -----BEGIN", path = path.display())]
    Absent {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// A file is malformed.
    #[error("{path} is malformed: {problem}; it holds PEM sections as openssl writes them", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong; never repeats a key.
        problem: String,
    },
    /// Certificate and key do not belong together, or cannot be used by a server.
    #[error("{cert} and {key} cannot be used together: {problem}", cert = cert.display(), key = key.display())]
    Pair {
        /// File of the certificate.
        cert: PathBuf,
        /// File of the key.
        key: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Clients cannot be checked with these certificates.
    #[error("{path} cannot be used to check clients: {problem}", path = path.display())]
    ClientCa {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// Text of a file of certificates.
pub(super) fn public_text(path: &Path) -> Result<String, TlsError> {
    read_bounded(path, MAX_BYTES).map_err(|source| TlsError::Read { path: path.to_owned(), source })
}

/// Text of a file of keys.
pub(super) fn secret_text(path: &Path) -> Result<String, TlsError> {
    read_secret(path, MAX_BYTES).map_err(|source| TlsError::Read { path: path.to_owned(), source })
}

/// The certificates in a text, at least one.
pub(super) fn certificates(
    path: &Path,
    text: &str,
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(text.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| malformed(path, "certificate", &error))?;
    if certificates.is_empty() {
        return Err(TlsError::Absent { path: path.to_owned(), what: "certificate" });
    }
    Ok(certificates)
}

/// The first private key in a text.
pub(super) fn key(path: &Path, text: &str) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(text.as_bytes())
        .map_err(|error| malformed(path, "private key", &error))
}

fn malformed(path: &Path, what: &'static str, error: &PemError) -> TlsError {
    let path = path.to_owned();
    match error {
        PemError::NoItemsFound => TlsError::Absent { path, what },
        // The parser quotes the line it does not understand, which may be one of a key.
        PemError::MissingSectionEnd { .. } => {
            TlsError::Malformed { path, problem: "a section has no end".to_owned() }
        }
        PemError::IllegalSectionStart { .. } => {
            TlsError::Malformed { path, problem: "a section begins wrongly".to_owned() }
        }
        PemError::Base64Decode(_) => {
            TlsError::Malformed { path, problem: "a section is not base64".to_owned() }
        }
        _ => TlsError::Malformed { path, problem: format!("it holds no {what}") },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_never_repeated() {
        let path = Path::new("key.pem");
        for text in [
            "",
            "-----BEGIN PRIVATE KEY-----\nsecret!\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\nsecret",
            "-----BEGIN secret\n",
        ] {
            let error = key(path, text).unwrap_err();
            assert!(error.to_string().contains("key.pem"), "{error}");
            assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in "(-----(BEGIN|END) [A-Z ]{0,20}-----\n|[ -~]{0,40}\n){0,8}") {
            let path = Path::new("x.pem");
            let _ = (certificates(path, &text), key(path, &text));
        }
    }
}
