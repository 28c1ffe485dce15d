//! Text to cards: forgiving in form, strict in content.

use crate::{Card, CardSet, Rank, Suit};

/// Why a text is not the cards it should be. Positions count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// Nothing but blanks.
    #[error("no cards given: a hand is written like AsKhQdJc")]
    Empty,
    /// A character that is no rank where one is due.
    #[error("'{text}': '{found}' at position {position} is not a rank (2-9, T or 10, J, Q, K, A)")]
    Rank {
        /// The whole text.
        text: String,
        /// What stands there.
        found: char,
        /// Where.
        position: usize,
    },
    /// A character that is no suit where one is due.
    #[error("'{text}': '{found}' at position {position} is not a suit (s, h, d, c)")]
    Suit {
        /// The whole text.
        text: String,
        /// What stands there.
        found: char,
        /// Where.
        position: usize,
    },
    /// The text ends after a rank.
    #[error("'{text}' ends after a rank: a suit (s, h, d, c) is missing at position {position}")]
    Unfinished {
        /// The whole text.
        text: String,
        /// Where.
        position: usize,
    },
    /// The same card twice.
    #[error("'{text}': {card} at position {position} is there already: each card exists once")]
    Duplicate {
        /// The whole text.
        text: String,
        /// The repeated card.
        card: String,
        /// Where it stands the second time.
        position: usize,
    },
    /// Too few or too many.
    #[error("'{text}' has {found} card{}, where {wanted} are needed", if *found == 1 { "" } else { "s" })]
    Count {
        /// The whole text.
        text: String,
        /// Cards found.
        found: usize,
        /// Cards wanted, in words.
        wanted: String,
    },
}

/// Reads distinct cards in any number: `AsKh`, any case, `10h` for `Th`, suit symbols, blanks and commas between.
///
/// # Errors
/// [`CardError`] pointing at the place; nothing is dropped or guessed.
pub fn parse_cards(text: &str) -> Result<Vec<Card>, CardError> {
    let mut cards: Vec<Card> = Vec::new();
    let mut letters = text.chars().zip(1..).peekable();
    while let Some((letter, position)) = letters.next() {
        // U+FE0F asks for a coloured picture of the suit symbol before it.
        if letter.is_whitespace() || letter == ',' || letter == '\u{fe0f}' {
            continue;
        }
        let ten = letter == '1' && letters.next_if(|(next, _)| *next == '0').is_some();
        let rank = Rank::from_letter(if ten { 'T' } else { letter })
            .ok_or_else(|| CardError::Rank { text: text.to_owned(), found: letter, position })?;
        let (found, suit_position) = letters.next().ok_or_else(|| CardError::Unfinished {
            text: text.to_owned(),
            position: text.chars().count() + 1,
        })?;
        let suit = Suit::from_letter(found).ok_or_else(|| CardError::Suit {
            text: text.to_owned(),
            found,
            position: suit_position,
        })?;
        let card = Card { rank, suit };
        if cards.contains(&card) {
            return Err(CardError::Duplicate {
                text: text.to_owned(),
                card: card.to_string(),
                position,
            });
        }
        cards.push(card);
    }
    Ok(cards)
}

/// Reads a hand of one of the `allowed` sizes.
///
/// # Errors
/// [`CardError`] as [`parse_cards`], or when the number of cards is wrong.
pub fn parse_hand(text: &str, allowed: &[usize]) -> Result<CardSet, CardError> {
    let cards = parse_cards(text)?;
    if cards.is_empty() {
        return Err(CardError::Empty);
    }
    if !allowed.contains(&cards.len()) {
        return Err(CardError::Count {
            text: text.to_owned(),
            found: cards.len(),
            wanted: choice(allowed),
        });
    }
    Ok(cards.into_iter().collect())
}

/// `2, 4 or 5`.
fn choice(numbers: &[usize]) -> String {
    let words: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    match &words[..] {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand(text: &str) -> Result<String, CardError> {
        parse_hand(text, &[4]).map(|cards| cards.to_string())
    }

    #[test]
    fn all_customary_forms_are_read() {
        for text in ["AsKh10d2c", "as kh td 2c", "A♠K♥T♦2♣", "2C,TD,KH,AS", "A♠\u{fe0f} K♡ 10♢ 2♧"]
        {
            assert_eq!(hand(text).as_deref(), Ok("AsKhTd2c"), "{text}");
        }
    }

    #[test]
    fn errors_point_at_the_place() {
        let message = |text: &str| hand(text).unwrap_err().to_string();
        assert!(message("AsAsKsKh").contains("As at position 3"));
        assert!(message("AsAhKs").ends_with("has 3 cards, where 4 are needed"));
        assert!(message("As").ends_with("has 1 card, where 4 are needed"));
        let sizes = parse_hand("As", &[2, 4, 5, 6]).unwrap_err().to_string();
        assert!(sizes.ends_with("has 1 card, where 2, 4, 5 or 6 are needed"), "{sizes}");
        assert!(message("AxAhKsKh").contains("'x' at position 2 is not a suit"));
        assert!(message("As1hKsKh").contains("'1' at position 3 is not a rank"));
        assert!(message("AsKhQ").contains("missing at position 6"));
        assert_eq!(hand("  "), Err(CardError::Empty));
        assert!(message("AsKhQdJcTs").contains("5 cards"));
    }
}
