//! A certificate for those who have none: a CA of the data folder's own, and at every start a certificate by it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fulldeck_service::write_secret;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};

/// Folder of the CA within the data folder.
const FOLDER: &str = "tls";
/// Only the owner enters it.
const FOLDER_MODE: u32 = 0o700;
/// A certificate is good for this long; every start makes a new one.
const LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// Clocks may differ by this.
const SKEW: Duration = Duration::from_secs(24 * 3600);

/// Certificate and key of this start, and the CA that workers trust: all PEM.
pub(crate) struct SelfSigned {
    pub(crate) cert: String,
    pub(crate) key: String,
    pub(crate) ca: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum SelfSignedError {
    /// The files of the CA cannot be read or written.
    #[error("cannot use {path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// They do not hold a CA, or no certificate can be made by it.
    #[error(
        "cannot make a certificate by the CA in {path}: {problem}; without that folder a new CA is made, and workers \
         need the new access file",
        path = path.display()
    )]
    Make {
        /// The folder.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
}

/// A certificate for these names and addresses, by the CA of the data folder, which is made if it is not there.
pub(crate) fn make(data_dir: &Path, names: Vec<String>) -> Result<SelfSigned, SelfSignedError> {
    let folder = data_dir.join(FOLDER);
    let failed = |error: rcgen::Error| SelfSignedError::Make {
        path: folder.clone(),
        problem: error.to_string(),
    };
    let (ca, ca_key) = kept_or_new(&folder)?;
    let issuer = Issuer::new(ca_params(&ca_key), ca_key);
    let key = KeyPair::generate().map_err(failed)?;
    let mut params = CertificateParams::new(names).map_err(failed)?;
    params.distinguished_name = named("fulldeck coordinator");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let now = SystemTime::now();
    params.not_before = (now - SKEW).into();
    params.not_after = (now + LIFE).into();
    let cert = params.signed_by(&key, &issuer).map_err(failed)?;
    Ok(SelfSigned { cert: cert.pem(), key: key.serialize_pem(), ca })
}

/// The CA: its certificate as PEM, and its key.
fn kept_or_new(folder: &Path) -> Result<(String, KeyPair), SelfSignedError> {
    let (cert_file, key_file) = (folder.join("ca.pem"), folder.join("ca-key.pem"));
    let broken = |error: rcgen::Error| SelfSignedError::Make {
        path: folder.to_owned(),
        problem: error.to_string(),
    };
    let unusable = |path: &Path, source| SelfSignedError::File { path: path.to_owned(), source };
    if key_file.exists() {
        let key = fs::read_to_string(&key_file).map_err(|error| unusable(&key_file, error))?;
        let cert = fs::read_to_string(&cert_file).map_err(|error| unusable(&cert_file, error))?;
        return Ok((cert, KeyPair::from_pem(&key).map_err(broken)?));
    }
    let key = KeyPair::generate().map_err(broken)?;
    let cert = ca_params(&key).self_signed(&key).map_err(broken)?.pem();
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(folder)
        .map_err(|error| unusable(folder, error))?;
    // The key comes last: with it, the CA is complete.
    for (path, text) in [(&cert_file, &cert), (&key_file, &key.serialize_pem())] {
        write_secret(path, text).map_err(|error| unusable(path, error))?;
    }
    Ok((cert, key))
}

/// What a CA with this key is called. The name tells CAs apart, so that a foreign one is recognised as foreign.
fn ca_params(key: &KeyPair) -> CertificateParams {
    let mut params = CertificateParams::default();
    let digest = blake3::hash(key.public_key_raw()).to_hex();
    params.distinguished_name = named(&format!("fulldeck CA {}", &digest[..16]));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use fulldeck_service::ServerTls;

    use super::*;

    #[test]
    fn the_ca_is_kept_for_its_owner_alone_and_certificates_are_new() {
        let data = tempfile::tempdir().unwrap();
        let make = || super::make(data.path(), vec!["localhost".into(), "127.0.0.1".into()]);
        let (first, second) = (make().unwrap(), make().unwrap());
        assert_eq!(first.ca, second.ca);
        assert_ne!(first.cert, second.cert);
        assert!(ServerTls::from_pem(&second.cert, &second.key, None).is_ok());
        for (name, expected) in [("tls", 0o700), ("tls/ca.pem", 0o600), ("tls/ca-key.pem", 0o600)] {
            let mode = fs::metadata(data.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, expected, "{name}");
        }
        fs::write(data.path().join("tls/ca-key.pem"), "secret").unwrap();
        let refusal = make().err().unwrap().to_string();
        assert!(refusal.contains("tls") && !refusal.contains("secret"), "{refusal}");
    }
}
