//! What is played for, and how.

use fulldeck_job::QueryError;

/// Deepest stack in big blinds: beyond it nobody pushes and doubles lose digits.
const MAX_STACK: f64 = 10_000.0;

/// Chips in big blinds. The big blind is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stakes {
    stack: f64,
    small_blind: f64,
    ante: f64,
}

impl Stakes {
    /// A stack that both players have after the antes and before the blinds, the small blind, and the ante that each
    /// puts in before the cards are dealt.
    ///
    /// # Errors
    /// [`PushFoldError::Stakes`] with what would be right.
    pub fn new(stack: f64, small_blind: f64, ante: f64) -> Result<Self, PushFoldError> {
        let refuse = |what: String| Err(PushFoldError::Stakes(what));
        if !(1.0..=MAX_STACK).contains(&stack) {
            return refuse(format!(
                "a stack of {stack} is none: from 1 big blind to {MAX_STACK} is right"
            ));
        }
        if !(0.0..=1.0).contains(&small_blind) {
            return refuse(format!(
                "a small blind of {small_blind} is none: from 0 to 1 big blind is right"
            ));
        }
        if !(0.0..=stack).contains(&ante) {
            return refuse(format!(
                "an ante of {ante} is none: from 0 to the stack of {stack} big blinds is right"
            ));
        }
        Ok(Self { stack, small_blind, ante })
    }

    /// Stack.
    #[must_use]
    pub const fn stack(&self) -> f64 {
        self.stack
    }

    /// Small blind.
    #[must_use]
    pub const fn small_blind(&self) -> f64 {
        self.small_blind
    }

    /// Ante.
    #[must_use]
    pub const fn ante(&self) -> f64 {
        self.ante
    }

    /// What the winner of a called push gains.
    #[must_use]
    pub fn called(&self) -> f64 {
        self.stack + self.ante
    }

    /// What an uncalled push gains.
    #[must_use]
    pub fn uncalled(&self) -> f64 {
        1.0 + self.ante
    }

    /// What folding costs the small blind.
    #[must_use]
    pub fn folded(&self) -> f64 {
        self.small_blind + self.ante
    }
}

/// How often each cluster pushes as the small blind and calls as the big blind, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategies {
    /// By cluster.
    pub push: Vec<f64>,
    /// By cluster.
    pub call: Vec<f64>,
}

/// Why there is no solution.
#[derive(Debug, thiserror::Error)]
pub enum PushFoldError {
    /// Nobody plays for that.
    #[error("{0}")]
    Stakes(String),
    /// The wanted bound was not reached.
    #[error(
        "after {steps} steps both players could still gain {reached:.3e} big blinds, \
         more than the {target:.3e} wanted: allow more steps, or more gain"
    )]
    NotReached {
        /// Steps taken.
        steps: u32,
        /// Gain that was left.
        reached: f64,
        /// Gain that was wanted.
        target: f64,
    },
    /// The artifact cannot be used.
    #[error(transparent)]
    Artifact(#[from] QueryError),
    /// The matrix does not fit into memory.
    #[error("the matrix of {cards} hole cards takes {bytes} bytes of memory, {usable} are there")]
    TooLarge {
        /// Hole cards.
        cards: usize,
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        usable: u64,
    },
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_no_stake() {
        assert!(Stakes::new(10.0, 0.5, 0.0).is_ok());
        for (stack, blind, ante, what) in [
            (0.0, 0.5, 0.0, "stack of 0"),
            (-3.0, 0.5, 0.0, "stack of -3"),
            (f64::NAN, 0.5, 0.0, "stack of NaN"),
            (1e9, 0.5, 0.0, "stack of 1000000000"),
            (10.0, 1.5, 0.0, "small blind of 1.5"),
            (10.0, -0.1, 0.0, "small blind of -0.1"),
            (10.0, 0.5, 11.0, "ante of 11"),
            (10.0, 0.5, -1.0, "ante of -1"),
        ] {
            let error = Stakes::new(stack, blind, ante).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
