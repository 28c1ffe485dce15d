//! What the holder of a token may do.

use std::fmt;
use std::str::FromStr;

/// What the holder of a token may do. Each role may do what the ones before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Look at runs, workers and results.
    Reader,
    /// Compute: register, lease, upload.
    Worker,
    /// Everything: submit and merge too.
    Operator,
}

impl Role {
    /// All roles, the least first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Worker, Self::Operator];

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Worker => "worker",
            Self::Operator => "operator",
        }
    }

    /// Name of the access file in the data folder that holds this role's token.
    #[must_use]
    pub const fn access_file(self) -> &'static str {
        match self {
            Self::Reader => "access-reader.toml",
            Self::Worker => "access-worker.toml",
            Self::Operator => "access.toml",
        }
    }

    /// Whether a holder of this role may do what asks for `needed`.
    #[must_use]
    pub fn allows(self, needed: Self) -> bool {
        self >= needed
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|role| role.name() == text)
            .ok_or_else(|| "reader, worker or operator is right".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_ordered_and_named() {
        for (place, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role.name().parse(), Ok(role));
            for (other, needed) in Role::ALL.into_iter().enumerate() {
                assert_eq!(role.allows(needed), other <= place, "{role} {needed}");
            }
        }
        assert!("admin".parse::<Role>().unwrap_err().contains("operator"));
    }
}
