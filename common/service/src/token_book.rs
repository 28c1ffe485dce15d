//! Which token has which role. Only hashes are kept: who reads them can open nothing.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::secret_file::{read_secret, write_secret};
use crate::{AccessToken, Role};

/// Name of the file within the data folder.
pub const TOKEN_BOOK: &str = "tokens.toml";
/// Longest file that is read, in bytes.
const MAX_BYTES: usize = 4 << 10;
/// A token has 256 random bits, so a fast hash is as good as a slow one.
const CONTEXT: &str = "fulldeck access token 1";
const HEAD: &str =
    "# Hashes of the tokens, made by fulldeck; the tokens are in the access files.\n";

type Hash = [u8; 32];

/// The hash of one token for each role that has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenBook {
    reader: Option<Hash>,
    worker: Option<Hash>,
    operator: Option<Hash>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BookFile {
    reader: Option<String>,
    worker: Option<String>,
    operator: Option<String>,
}

/// Why the hashes were not read or not written.
#[derive(Debug, thiserror::Error)]
pub enum TokenBookError {
    /// Cannot be read.
    #[error("cannot read the token hashes in {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Cannot be written.
    #[error("cannot write the token hashes to {path}: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not such a file.
    #[error(
        "{path} is malformed: {problem}; remove it, and the coordinator makes it from the access files when it starts",
        path = path.display()
    )]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl TokenBook {
    /// The role of a presented token. Takes the same time for every token of the right form.
    #[must_use]
    pub fn role_of(&self, presented: &str) -> Option<Role> {
        let token = presented.parse().ok()?;
        let hash = hash_of(&token);
        let mut found = None;
        for role in Role::ALL {
            let known = self.slot(role).unwrap_or_default();
            let equal = bool::from(known.ct_eq(&hash));
            if equal && self.slot(role).is_some() {
                found = Some(role);
            }
        }
        found
    }

    /// Whether this is the token of the role.
    #[must_use]
    pub fn holds(&self, role: Role, token: &AccessToken) -> bool {
        self.slot(role).is_some_and(|known| known.ct_eq(&hash_of(token)).into())
    }

    /// Whether the role has a token.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.slot(role).is_some()
    }

    /// Gives the role this token; the one it had opens nothing any more.
    pub fn set(&mut self, role: Role, token: &AccessToken) {
        let hash = Some(hash_of(token));
        match role {
            Role::Reader => self.reader = hash,
            Role::Worker => self.worker = hash,
            Role::Operator => self.operator = hash,
        }
    }

    /// Reads the file; none there is an empty book.
    ///
    /// # Errors
    /// [`TokenBookError::Read`] or [`TokenBookError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, TokenBookError> {
        let text = match read_secret(path, MAX_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(TokenBookError::Read { path: path.to_owned(), source }),
        };
        let malformed =
            |problem: String| TokenBookError::Malformed { path: path.to_owned(), problem };
        let file: BookFile =
            toml::from_str(&text).map_err(|error| malformed(error.message().to_owned()))?;
        let hash = |text: Option<String>| {
            text.map(|text| {
                let hash = blake3::Hash::from_hex(&text);
                hash.map(blake3::Hash::into).map_err(|error| malformed(error.to_string()))
            })
            .transpose()
        };
        Ok(Self {
            reader: hash(file.reader)?,
            worker: hash(file.worker)?,
            operator: hash(file.operator)?,
        })
    }

    /// Writes the file, for its owner alone.
    ///
    /// # Errors
    /// [`TokenBookError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), TokenBookError> {
        let hex = |hash: Hash| blake3::Hash::from(hash).to_hex().to_string();
        let file = BookFile {
            reader: self.reader.map(hex),
            worker: self.worker.map(hex),
            operator: self.operator.map(hex),
        };
        toml::to_string(&file)
            .map_err(io::Error::other)
            .and_then(|text| write_secret(path, &format!("{HEAD}{text}")))
            .map_err(|source| TokenBookError::Write { path: path.to_owned(), source })
    }

    fn slot(&self, role: Role) -> Option<Hash> {
        match role {
            Role::Reader => self.reader,
            Role::Worker => self.worker,
            Role::Operator => self.operator,
        }
    }
}

fn hash_of(token: &AccessToken) -> Hash {
    blake3::derive_key(CONTEXT, token.expose().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_apart_and_a_replaced_one_opens_nothing() {
        let tokens = Role::ALL.map(|_| AccessToken::random().unwrap());
        let mut book = TokenBook::default();
        assert_eq!(book.role_of(tokens[0].expose()), None);
        for (role, token) in Role::ALL.into_iter().zip(&tokens) {
            book.set(role, token);
        }
        for (role, token) in Role::ALL.into_iter().zip(&tokens) {
            assert_eq!(book.role_of(token.expose()), Some(role));
            assert_eq!(book.role_of(&token.expose().to_uppercase()), Some(role));
            assert!(book.holds(role, token));
        }
        book.set(Role::Worker, &AccessToken::random().unwrap());
        assert_eq!(book.role_of(tokens[1].expose()), None);
        for text in ["", "x", &"0".repeat(64)] {
            assert_eq!(book.role_of(text), None);
        }
    }

    #[test]
    fn the_file_holds_no_token_and_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(TOKEN_BOOK);
        assert_eq!(TokenBook::read(&path).unwrap(), TokenBook::default());
        let token = AccessToken::random().unwrap();
        let mut book = TokenBook::default();
        book.set(Role::Operator, &token);
        book.write(&path).unwrap();
        assert_eq!(TokenBook::read(&path).unwrap(), book);
        assert!(!std::fs::read_to_string(&path).unwrap().contains(token.expose()));
        for text in ["reader = 3", "reader = \"ab\"", "admin = \"\"", "]"] {
            std::fs::write(&path, text).unwrap();
            let refusal = TokenBook::read(&path).unwrap_err().to_string();
            assert!(refusal.contains("tokens.toml is malformed"), "{refusal}");
        }
    }
}
