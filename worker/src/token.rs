//! The identity of an attempt.

use bytes::Bytes;
use fulldeck_proto::v1;

/// Names one handing-out of a slice; never repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Token {
    store_id: [u8; 16],
    epoch: u64,
    start_id: u64,
    sequence: u64,
}

impl Token {
    /// `None` for a message without a token or with a malformed one.
    pub(crate) fn from_wire(wire: Option<&v1::AttemptToken>) -> Option<Self> {
        let wire = wire?;
        Some(Self {
            store_id: wire.store_id.as_ref().try_into().ok()?,
            epoch: wire.epoch,
            start_id: wire.start_id,
            sequence: wire.sequence,
        })
    }

    pub(crate) fn to_wire(self) -> v1::AttemptToken {
        v1::AttemptToken {
            store_id: Bytes::copy_from_slice(&self.store_id),
            epoch: self.epoch,
            start_id: self.start_id,
            sequence: self.sequence,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn token(sequence: u64) -> Token {
        Token { store_id: [7; 16], epoch: 1, start_id: 2, sequence }
    }

    #[test]
    fn goes_over_the_wire_and_back() {
        let token = token(3);
        assert_eq!(Token::from_wire(Some(&token.to_wire())), Some(token));
        assert_eq!(Token::from_wire(None), None);
        assert_eq!(Token::from_wire(Some(&v1::AttemptToken::default())), None);
    }
}
