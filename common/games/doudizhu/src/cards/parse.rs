//! Hands as people write them.

use std::str::FromStr;

use super::{Hand, Rank};

/// Why a text is no hand. Positions count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardsError {
    /// Not a card.
    #[error(
        "'{text}' at position {position} of '{hand}' is no card: ranks are 3456789TJQKA2, jokers B (small) and R (big), or 小王 and 大王"
    )]
    Unknown {
        /// The whole text.
        hand: String,
        /// What is not a card.
        text: String,
        /// Where.
        position: usize,
    },
    /// A joker that does not say which.
    #[error(
        "'{text}' at position {position} of '{hand}' does not say which joker: write B or 小{text} for the small one, R or 大{text} for the big one"
    )]
    WhichJoker {
        /// The whole text.
        hand: String,
        /// The word.
        text: char,
        /// Where.
        position: usize,
    },
    /// More than the deck has.
    #[error("{name} at position {position} of '{hand}' is one too many: the deck has {copies}")]
    TooMany {
        /// The whole text.
        hand: String,
        /// The card.
        name: String,
        /// Where.
        position: usize,
        /// How many the deck has, in words.
        copies: &'static str,
    },
    /// More than a player ever holds.
    #[error("'{hand}' has {cards} cards, a player has at most 20")]
    TooLong {
        /// The whole text.
        hand: String,
        /// Their number.
        cards: u32,
    },
    /// No cards at all.
    #[error("there are no cards: a hand is written like 3334455TJQKA2BR")]
    Empty,
}

/// Reads a hand of 1 to 20 cards: any order and case, blanks and commas ignored. `10` is `T`; the small joker is `B`, `X`, `小王`
/// or `小鬼`, the big one `R`, `D`, `大王` or `大鬼`.
///
/// # Errors
/// [`CardsError`], naming the first card at fault.
///
/// ```
/// use fulldeck_doudizhu::cards::parse_hand;
/// assert_eq!(parse_hand("大王 10 3 k K")?.to_string(), "3TKKR");
/// assert!(parse_hand("33333").is_err());
/// # Ok::<(), fulldeck_doudizhu::cards::CardsError>(())
/// ```
pub fn parse_hand(text: &str) -> Result<Hand, CardsError> {
    let mut hand = Hand::EMPTY;
    let mut letters = text.chars().enumerate().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter.is_whitespace() || letter == ',' || letter == '，' {
            continue;
        }
        let position = at + 1;
        let unknown =
            |read: String| CardsError::Unknown { hand: text.to_owned(), text: read, position };
        let follows = |wanted: &[char], letters: &mut std::iter::Peekable<_>| {
            letters.next_if(|(_, next): &(usize, char)| wanted.contains(next)).is_some()
        };
        let rank = match letter {
            '1' if follows(&['0'], &mut letters) => Rank::new(7),
            '小' | '大' => {
                if !follows(&['王', '鬼'], &mut letters) {
                    return Err(unknown(letter.to_string()));
                }
                if letter == '小' { Rank::SMALL_JOKER } else { Rank::BIG_JOKER }
            }
            '王' | '鬼' => {
                return Err(CardsError::WhichJoker {
                    hand: text.to_owned(),
                    text: letter,
                    position,
                });
            }
            letter => single(letter).ok_or_else(|| unknown(letter.to_string()))?,
        };
        if hand.count(rank) == rank.copies() {
            return Err(too_many(text, rank, position));
        }
        hand += Hand::of(rank, 1);
    }
    match hand.len() {
        0 => Err(CardsError::Empty),
        cards if cards > Hand::MOST => Err(CardsError::TooLong { hand: text.to_owned(), cards }),
        _ => Ok(hand),
    }
}

fn single(letter: char) -> Option<Rank> {
    // Full-width letters and digits, as Chinese keyboards give them.
    let narrow = match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0)?,
        letter => letter,
    };
    match narrow.to_ascii_uppercase() {
        'X' => Some(Rank::SMALL_JOKER),
        'D' => Some(Rank::BIG_JOKER),
        letter => Rank::all().find(|rank| rank.letter() == letter),
    }
}

fn too_many(text: &str, rank: Rank, position: usize) -> CardsError {
    let (name, copies) = match rank {
        Rank::SMALL_JOKER => ("the small joker".to_owned(), "one"),
        Rank::BIG_JOKER => ("the big joker".to_owned(), "one"),
        rank => (format!("'{rank}'"), "four of a rank"),
    };
    CardsError::TooMany { hand: text.to_owned(), name, position, copies }
}

impl FromStr for Hand {
    type Err = CardsError;

    fn from_str(text: &str) -> Result<Self, CardsError> {
        parse_hand(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing_is_read() {
        for (text, hand) in [
            ("33344456", "33344456"),
            ("6 5 4,4,4 333", "33344456"),
            ("10t10T", "TTTT"),
            ("akq2", "QKA2"),
            ("小王大王", "BR"),
            ("大鬼小鬼", "BR"),
            ("xd", "BR"),
            ("３１０王", "?"),
            ("３Ｔ", "3T"),
        ] {
            match parse_hand(text) {
                Ok(read) => assert_eq!(read.to_string(), hand, "{text}"),
                Err(error) => assert_eq!(hand, "?", "{text}: {error}"),
            }
        }
    }

    #[test]
    fn each_refusal_says_what_and_where() {
        for (text, parts) in [
            ("", &["no cards"][..]),
            ("33333", &["'3' at position 5", "four of a rank"]),
            ("3RR", &["big joker at position 3", "one"]),
            ("3王", &["'王' at position 2", "小王"]),
            ("341", &["'1' at position 3"]),
            ("小3", &["'小' at position 1"]),
            ("3344556677889TTJJQQKK", &["21 cards", "at most 20"]),
        ] {
            let message = parse_hand(text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text}: {message}");
            }
        }
    }
}
