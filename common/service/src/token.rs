//! The secret that opens a coordinator.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use subtle::ConstantTimeEq as _;

/// Random bytes in a token.
const TOKEN_BYTES: usize = 32;
/// Longest token file that is read, in bytes.
const MAX_TOKEN_FILE_BYTES: usize = 4 << 10;

/// 32 random bytes as 64 hexadecimal digits. Never shown by `Debug`; has neither `Display` nor `PartialEq`, so that
/// it can neither be logged nor compared in a time that tells how much of it is right.
#[derive(Clone)]
pub struct AccessToken(String);

/// Why a token was not made or not accepted. Never repeats the token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Not 64 hexadecimal digits.
    #[error("the token is not of {} hexadecimal digits", 2 * TOKEN_BYTES)]
    Form,
    /// A file that does not hold 64 hexadecimal digits.
    #[error("token file {path} does not hold a token; it is of {} hexadecimal digits", 2 * TOKEN_BYTES)]
    File {
        /// The file.
        path: String,
    },
    /// The operating system gives no random bytes.
    #[error("cannot draw a token: the operating system gives no random bytes: {0}")]
    Random(getrandom::Error),
    /// The token file cannot be read.
    #[error("cannot read token file {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

impl AccessToken {
    /// A new random token.
    ///
    /// # Errors
    /// [`TokenError::Random`] if the operating system gives no random bytes.
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0u8; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Reads a file that holds nothing but a token (white space around it is ignored).
    ///
    /// # Errors
    /// [`TokenError::Read`] or [`TokenError::File`].
    pub fn read_file(path: &Path) -> Result<Self, TokenError> {
        let name = || path.display().to_string();
        crate::secret_file::read_secret(path, MAX_TOKEN_FILE_BYTES)
            .map_err(|source| TokenError::Read { path: name(), source })?
            .parse()
            .map_err(|_: TokenError| TokenError::File { path: name() })
    }

    /// Whether `presented` is this token. Takes the same time however much of it is right.
    #[must_use]
    pub fn matches(&self, presented: &str) -> bool {
        self.0.as_bytes().ct_eq(presented.as_bytes()).into()
    }

    /// The token itself: for the wire and the access file, never for people.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for AccessToken {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if text.len() == 2 * TOKEN_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(TokenError::Form)
        }
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles only while the type lacks `PartialEq` and `Display`: otherwise the call below is ambiguous.
    trait Lacks<Marker> {
        fn proof() {}
    }
    impl<T> Lacks<()> for T {}
    struct Equality;
    impl<T: PartialEq> Lacks<Equality> for T {}
    struct Printing;
    impl<T: fmt::Display> Lacks<Printing> for T {}

    #[test]
    fn only_the_constant_time_comparison_exists() {
        <AccessToken as Lacks<_>>::proof();
        let token = AccessToken::random().unwrap();
        let right = token.expose().to_owned();
        assert!(token.matches(&right));
        assert!(!token.matches(&right[1..]));
        assert!(!token.matches(""));
        let mut wrong = right.into_bytes();
        wrong[63] ^= 1;
        assert!(!token.matches(std::str::from_utf8(&wrong).unwrap()));
    }

    #[test]
    fn debug_hides_the_token_and_tokens_differ() {
        let (one, other) = (AccessToken::random().unwrap(), AccessToken::random().unwrap());
        assert!(!format!("{one:?}").contains(one.expose()));
        assert_eq!(one.expose().len(), 64);
        assert!(!one.matches(other.expose()));
    }

    #[test]
    fn malformed_tokens_are_refused_without_repeating_them() {
        for text in ["", "abc", &"g".repeat(64), &"a".repeat(65)] {
            let refusal = text.parse::<AccessToken>().unwrap_err().to_string();
            assert!(refusal.contains("64 hexadecimal digits"), "{refusal}");
        }
        assert!(format!(" {}\n", "AB".repeat(32)).parse::<AccessToken>().is_ok());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret").unwrap();
        let refusal = AccessToken::read_file(file.path()).unwrap_err().to_string();
        assert!(refusal.contains(&file.path().display().to_string()), "{refusal}");
        assert!(!refusal.contains("secret"), "{refusal}");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_token_or_refused(text in "\\PC{0,80}") {
            let _ = text.parse::<AccessToken>();
        }
    }
}
