//! Typed parameters of a workload: declared with defaults and bounds, kept in one canonical text.

use std::collections::BTreeMap;
use std::fmt;

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number within inclusive bounds.
    Integer {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// One of a closed list of words.
    Choice(&'static [&'static str]),
}

/// One parameter a workload accepts.
#[derive(Clone, Copy, Debug)]
pub struct ParameterSpec {
    /// Name, as in `-p name=value`.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Value when none is given.
    pub default: &'static str,
    /// Accepted values.
    pub kind: ParameterKind,
}

/// Complete, validated parameters of a run, in canonical form (sorted by name, numbers without sign or
/// leading zeros).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters(BTreeMap<String, String>);

/// Why a parameter was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Not of the form `name=value`.
    #[error("parameter '{0}' is not of the form name=value")]
    Form(String),
    /// No such parameter.
    #[error("unknown parameter '{name}': this workload takes {known}")]
    Unknown {
        /// What was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Given more than once.
    #[error("parameter '{0}' is given twice")]
    Twice(String),
    /// Value outside what the parameter accepts.
    #[error("parameter {name}={value} is refused: it takes {accepted}")]
    Value {
        /// Parameter.
        name: String,
        /// What was given.
        value: String,
        /// What would be right.
        accepted: String,
    },
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl ParameterSpec {
    fn canonical(&self, value: &str) -> Result<String, ParameterError> {
        let canonical = match self.kind {
            ParameterKind::Integer { min, max } => value
                .parse::<u64>()
                .ok()
                .filter(|number| (min..=max).contains(number))
                .map(|number| number.to_string()),
            ParameterKind::Choice(words) => {
                words.iter().find(|word| **word == value).map(|word| (*word).to_owned())
            }
        };
        canonical.ok_or_else(|| ParameterError::Value {
            name: self.name.to_owned(),
            value: value.to_owned(),
            accepted: self.kind.to_string(),
        })
    }
}

impl Parameters {
    /// Validates `name=value` words against `specs` and fills in defaults.
    ///
    /// # Errors
    /// [`ParameterError`] for an unknown, repeated, malformed or out-of-range parameter.
    pub fn parse<S: AsRef<str>>(
        specs: &[ParameterSpec],
        words: &[S],
    ) -> Result<Self, ParameterError> {
        let mut values = BTreeMap::new();
        for word in words {
            let word = word.as_ref();
            let (name, value) =
                word.split_once('=').ok_or_else(|| ParameterError::Form(word.to_owned()))?;
            let (name, value) = (name.trim(), value.trim());
            let spec = specs.iter().find(|spec| spec.name == name).ok_or_else(|| {
                ParameterError::Unknown {
                    name: name.to_owned(),
                    known: specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "),
                }
            })?;
            if values.insert(name.to_owned(), spec.canonical(value)?).is_some() {
                return Err(ParameterError::Twice(name.to_owned()));
            }
        }
        for spec in specs {
            values.entry(spec.name.to_owned()).or_insert_with(|| spec.default.to_owned());
        }
        Ok(Self(values))
    }

    /// From canonical text, one `name=value` a line.
    ///
    /// # Errors
    /// As [`Parameters::parse`].
    pub fn from_canonical(specs: &[ParameterSpec], text: &str) -> Result<Self, ParameterError> {
        Self::parse(specs, &text.lines().collect::<Vec<_>>())
    }

    /// Canonical text: one `name=value` a line, sorted by name, `\n` after each.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.0.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
    }

    /// Value of a declared parameter.
    ///
    /// # Panics
    /// If the workload never declared `name`: a defect of the workload.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).expect("a workload only asks for parameters that it declared")
    }

    /// Value of a declared [`ParameterKind::Integer`] parameter.
    ///
    /// # Panics
    /// If the workload never declared `name` as a number: a defect of the workload.
    #[must_use]
    pub fn integer(&self, name: &str) -> u64 {
        self.text(name).parse().expect("integer parameters were validated when parsed")
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ParameterSpec] = &[
        ParameterSpec {
            name: "cards",
            summary: "hole cards",
            default: "4",
            kind: ParameterKind::Integer { min: 2, max: 6 },
        },
        ParameterSpec {
            name: "rule",
            summary: "rule",
            default: "d",
            kind: ParameterKind::Choice(&["d", "w"]),
        },
    ];

    #[test]
    fn canonical_text_is_sorted_complete_and_reads_back() {
        let parameters = Parameters::parse(SPECS, &["rule=w", "cards=05"]).unwrap();
        assert_eq!(parameters.canonical(), "cards=5\nrule=w\n");
        assert_eq!(Parameters::from_canonical(SPECS, &parameters.canonical()), Ok(parameters));
    }

    #[test]
    fn each_refusal_names_what_would_be_right() {
        let refusal = |words: &[&str]| Parameters::parse(SPECS, words).unwrap_err().to_string();
        assert!(refusal(&["cards=7"]).contains("from 2 to 6"));
        assert!(refusal(&["card=4"]).contains("cards, rule"));
        assert!(refusal(&["rule=x"]).contains("d, w"));
        assert!(refusal(&["cards"]).contains("name=value"));
        assert!(refusal(&["cards=4", "cards=4"]).contains("twice"));
    }
}
