//! What went wrong between two that speak TLS, or do not, in plain words.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError, Error as RustlsError};

/// What kind of trouble it is, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The client does not believe the server, or the two do not speak the same.
    Untrusted(String),
    /// The server does not believe the client.
    Refused(String),
}

/// What an error of a connection to `url` says of TLS; `None` if it has nothing to do with it.
pub(crate) fn trouble(url: &str, error: &(dyn Error + 'static)) -> Option<Trouble> {
    let untrusted = |text: String| Some(Trouble::Untrusted(text));
    match find(error)? {
        RustlsError::InvalidCertificate(reason) => untrusted(certificate(url, reason)),
        RustlsError::InvalidMessage(_) => untrusted(format!(
            "what listens at {url} does not speak TLS; its address begins with http:// then"
        )),
        RustlsError::AlertReceived(alert) => alert_trouble(url, *alert),
        other => untrusted(format!("cannot speak TLS with {url}: {other}")),
    }
}

fn certificate(url: &str, reason: &CertificateError) -> String {
    match reason {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => format!(
            "the certificate of {url} has expired; give the coordinator a new one and start it again"
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => format!(
            "the certificate of {url} is not valid yet; compare the clocks of the two machines"
        ),
        CertificateError::NotValidForName => format!(
            "the certificate of {url} is for another name; use the address in the access file"
        ),
        CertificateError::NotValidForNameContext { presented, .. } => format!(
            "the certificate of {url} is for other names: {}; use one of them in the address, or give the coordinator \
             a certificate for this one (--advertise NAME with --tls-self-signed)",
            presented.join(", ")
        ),
        CertificateError::UnknownIssuer | CertificateError::BadSignature => format!(
            "the certificate of {url} does not come from a CA that is trusted here; use the present access file of \
             that coordinator, or name its CA with --tls-ca"
        ),
        other => format!("the certificate of {url} cannot be trusted: {other}"),
    }
}

fn alert_trouble(url: &str, alert: AlertDescription) -> Option<Trouble> {
    let shown = match alert {
        AlertDescription::CertificateRequired => {
            return Some(Trouble::Refused(format!(
                "the coordinator at {url} asks for a client certificate; give one with --tls-client-cert and \
                 --tls-client-key"
            )));
        }
        AlertDescription::CertificateExpired => "it has expired",
        AlertDescription::UnknownCA => "it comes from another CA",
        AlertDescription::DecryptError
        | AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateRevoked
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::AccessDenied => "it does not believe it",
        other => {
            let text = format!("{url} ended the TLS connection: {other:?}");
            return Some(Trouble::Untrusted(text));
        }
    };
    Some(Trouble::Refused(format!(
        "the coordinator at {url} refuses the client certificate: {shown}; use one of the CA in its --tls-client-ca"
    )))
}

/// The error of rustls in a chain of causes.
fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a RustlsError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<RustlsError>() {
            return Some(found);
        }
        // Such an error does not name what it wraps as its source.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(error: RustlsError) -> Trouble {
        let wrapped = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error));
        trouble("https://h:1", &wrapped).expect("an error of TLS")
    }

    #[test]
    fn the_cause_is_found_beneath_others_and_said_in_words() {
        for (error, part) in [
            (RustlsError::InvalidCertificate(CertificateError::Expired), "has expired"),
            (RustlsError::InvalidCertificate(CertificateError::UnknownIssuer), "--tls-ca"),
            (RustlsError::InvalidCertificate(CertificateError::NotValidForName), "another name"),
            (RustlsError::InvalidMessage(rustls::InvalidMessage::InvalidContentType), "http://"),
        ] {
            match told(error) {
                Trouble::Untrusted(text) => assert!(text.contains(part), "{text}"),
                other => panic!("{other:?}"),
            }
        }
        for (alert, part) in [
            (AlertDescription::CertificateRequired, "--tls-client-cert"),
            (AlertDescription::UnknownCA, "another CA"),
            (AlertDescription::CertificateExpired, "expired"),
        ] {
            match told(RustlsError::AlertReceived(alert)) {
                Trouble::Refused(text) => assert!(text.contains(part), "{text}"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(trouble("https://h:1", &io::Error::other("no")), None);
    }
}
