//! BLAKE3 digests as distinct types, so that a run's fingerprint is never mistaken for a result's digest.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! hash_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(pub [u8; 32]);

        impl $name {
            /// The hash of `bytes`.
            #[must_use]
            pub fn of(bytes: &[u8]) -> Self {
                Self(*blake3::hash(bytes).as_bytes())
            }

            /// From stored bytes; `None` unless there are exactly 32.
            #[must_use]
            pub fn from_slice(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self)
            }

            /// The first twelve hexadecimal digits, for people.
            #[must_use]
            pub fn short(&self) -> String {
                self.to_string()[..12].to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.short())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                blake3::Hash::from_hex(text)
                    .map(|hash| Self(*hash.as_bytes()))
                    .map_err(|_| format!("'{text}' is not 64 hexadecimal digits"))
            }
        }

        impl From<$name> for String {
            fn from(hash: $name) -> String {
                hash.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }
    };
}

hash_type! {
    /// BLAKE3 of canonical, uncompressed bytes: of a result, a plan or an artifact file.
    Digest
}
hash_type! {
    /// What makes two runs the same run: see [`crate::RunSpec::fingerprint`].
    Fingerprint
}
