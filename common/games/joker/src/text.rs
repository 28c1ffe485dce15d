//! Text to cards and back: `As Td *1`, and the suit-first Chinese form `黑A,方10,鬼`.

use std::iter::Peekable;
use std::str::Chars;

use fulldeck_cards::{Card, Rank, Suit};

use crate::{Deck, DeckCard};

/// Longest text that is read, in characters.
pub const MAX_TEXT_CHARACTERS: usize = 4096;

/// Why a text is not the cards it should be. Positions count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A character that begins no card.
    #[error(
        "'{text}': '{found}' at position {position} begins no card (a rank 2-9, T or 10, J, Q, K, A; or * for a joker)"
    )]
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
    /// The text ends within a card.
    #[error("'{text}' ends within a card: {missing} is missing at position {position}")]
    Unfinished {
        /// The whole text.
        text: String,
        /// What should follow.
        missing: &'static str,
        /// Where.
        position: usize,
    },
    /// The same card twice, in one text or in two that belong together.
    #[error("'{text}': {card} at position {position} is there already: each card exists once")]
    Duplicate {
        /// The whole text.
        text: String,
        /// The repeated card.
        card: String,
        /// Where it stands the second time.
        position: usize,
    },
    /// More jokers than there are at all.
    #[error("'{text}': a third joker at position {position}, where a deck has two at most")]
    ThirdJoker {
        /// The whole text.
        text: String,
        /// Where.
        position: usize,
    },
    /// A joker that the chosen deck lacks.
    #[error(
        "'{text}': the joker at position {position} is not in the deck of {deck}, which has {has}"
    )]
    NotInDeck {
        /// The whole text.
        text: String,
        /// Where.
        position: usize,
        /// Cards of the deck.
        deck: usize,
        /// The jokers it has.
        has: &'static str,
    },
    /// Too few or too many cards.
    #[error("'{text}' has {found} cards, where {wanted}")]
    Count {
        /// The whole text.
        text: String,
        /// Cards found.
        found: usize,
        /// What is wanted, in words.
        wanted: String,
    },
    /// Not read at all.
    #[error("a text of more than {MAX_TEXT_CHARACTERS} characters is no hand")]
    TooLong,
    /// Not a hand key.
    #[error(
        "'{0}' is not a key: two decimal digits for each card (suit x 16 + rank, or 88 for a joker), ascending"
    )]
    Key(String),
}

/// A card as written: a joker without a number is still to be told which one it is.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Card(DeckCard),
    SomeJoker,
}

/// Reads texts whose cards come from one deck: each card once over all of them. A joker without a number (`*`, `鬼`) is
/// the first that is written nowhere else.
///
/// # Errors
/// [`TextError`] pointing at the place; nothing is dropped or guessed.
pub fn parse_together(texts: &[&str], deck: Deck) -> Result<Vec<Vec<DeckCard>>, TextError> {
    let written = texts.iter().map(|text| tokens(text)).collect::<Result<Vec<_>, _>>()?;
    let mut free: Vec<DeckCard> = [DeckCard::FIRST_JOKER, DeckCard::SECOND_JOKER].to_vec();
    free.retain(|joker| {
        let here = Written::Card(*joker);
        !written.iter().flatten().any(|(card, _)| *card == here)
    });
    let mut free = free.into_iter();
    let mut seen: Vec<DeckCard> = Vec::new();
    let mut hands = Vec::with_capacity(texts.len());
    for (text, written) in texts.iter().zip(written) {
        let mut hand = Vec::with_capacity(written.len());
        for (card, position) in written {
            let text = || (*text).to_owned();
            let card = match card {
                Written::Card(card) => card,
                Written::SomeJoker => {
                    free.next().ok_or_else(|| TextError::ThirdJoker { text: text(), position })?
                }
            };
            if !deck.has(card) {
                let has = if deck == Deck::Cards52 { "no joker" } else { "one joker, *1" };
                let deck = deck.size();
                return Err(TextError::NotInDeck { text: text(), position, deck, has });
            }
            if seen.contains(&card) {
                let card = card.to_string();
                return Err(TextError::Duplicate { text: text(), card, position });
            }
            seen.push(card);
            hand.push(card);
        }
        hands.push(hand);
    }
    Ok(hands)
}

/// Reads one hand of a deck, with one of the `allowed` numbers of cards.
///
/// # Errors
/// [`TextError`] as [`parse_together`], or when the number of cards is wrong.
pub fn parse_hand(text: &str, deck: Deck, allowed: &[usize]) -> Result<Vec<DeckCard>, TextError> {
    let cards = parse_together(&[text], deck)?.pop().unwrap_or_default();
    check_count(text, &cards, allowed)?;
    Ok(cards)
}

/// Refuses a number of cards that is not `allowed`.
///
/// # Errors
/// [`TextError::Count`].
pub fn check_count(text: &str, cards: &[DeckCard], allowed: &[usize]) -> Result<(), TextError> {
    if allowed.contains(&cards.len()) {
        return Ok(());
    }
    let sizes: Vec<_> = allowed.iter().map(ToString::to_string).collect();
    let verb = if allowed == [1] { "is" } else { "are" };
    Err(TextError::Count {
        text: text.to_owned(),
        found: cards.len(),
        wanted: format!("{} {verb} needed", sizes.join(" or ")),
    })
}

type Letters<'a> = Peekable<std::iter::Zip<Chars<'a>, std::ops::RangeFrom<usize>>>;

/// The cards of a text and where each begins.
fn tokens(text: &str) -> Result<Vec<(Written, usize)>, TextError> {
    if text.chars().nth(MAX_TEXT_CHARACTERS).is_some() {
        return Err(TextError::TooLong);
    }
    let mut cards = Vec::new();
    let mut letters: Letters<'_> = text.chars().zip(1..).peekable();
    while let Some((letter, position)) = letters.next() {
        // U+FE0F asks for a coloured picture of the suit symbol before it.
        if letter.is_whitespace() || matches!(letter, ',' | '，' | '\u{fe0f}') {
            continue;
        }
        let card = match letter {
            '鬼' => Written::SomeJoker,
            '*' => numbered_joker(text, position, &mut letters)?,
            _ => match chinese_suit(letter) {
                Some(suit) => Written::Card(rank_after(text, suit, &mut letters)?),
                None => Written::Card(suit_after(text, letter, position, &mut letters)?),
            },
        };
        cards.push((card, position));
    }
    Ok(cards)
}

fn numbered_joker(
    text: &str,
    position: usize,
    letters: &mut Letters<'_>,
) -> Result<Written, TextError> {
    let mut ahead = letters.clone().map(|(letter, _)| letter);
    let (number, after) = (ahead.next(), ahead.next());
    // `*10h` is a joker and a ten, `*2h` a joker and a deuce.
    let begins_a_card = match number {
        Some('1') => after == Some('0'),
        Some(digit) if digit.is_ascii_digit() => {
            after.is_some_and(|letter| Suit::from_letter(letter).is_some())
        }
        _ => true,
    };
    if begins_a_card {
        return Ok(Written::SomeJoker);
    }
    letters.next();
    match number {
        Some('1') => Ok(Written::Card(DeckCard::FIRST_JOKER)),
        Some('2') => Ok(Written::Card(DeckCard::SECOND_JOKER)),
        _ => Err(TextError::ThirdJoker { text: text.to_owned(), position }),
    }
}

fn rank_after(text: &str, suit: Suit, letters: &mut Letters<'_>) -> Result<DeckCard, TextError> {
    let (letter, position) =
        letters.next().ok_or_else(|| unfinished(text, "a rank (2-10, J, Q, K, A)"))?;
    let rank = rank(letter, letters).ok_or_else(|| TextError::Rank {
        text: text.to_owned(),
        found: letter,
        position,
    })?;
    Ok(Card { rank, suit }.into())
}

fn suit_after(
    text: &str,
    letter: char,
    position: usize,
    letters: &mut Letters<'_>,
) -> Result<DeckCard, TextError> {
    let rank = rank(letter, letters).ok_or_else(|| TextError::Rank {
        text: text.to_owned(),
        found: letter,
        position,
    })?;
    let (found, position) =
        letters.next().ok_or_else(|| unfinished(text, "a suit (s, h, d, c)"))?;
    let suit = Suit::from_letter(found).ok_or_else(|| TextError::Suit {
        text: text.to_owned(),
        found,
        position,
    })?;
    Ok(Card { rank, suit }.into())
}

fn rank(letter: char, letters: &mut Letters<'_>) -> Option<Rank> {
    let ten = letter == '1' && letters.next_if(|(next, _)| *next == '0').is_some();
    Rank::from_letter(if ten { 'T' } else { letter })
}

fn unfinished(text: &str, missing: &'static str) -> TextError {
    TextError::Unfinished { text: text.to_owned(), missing, position: text.chars().count() + 1 }
}

/// The suits of the Chinese form in the order of its keys: diamonds, clubs, hearts, spades.
const CHINESE_SUITS: [(char, char); 4] = [('方', 'd'), ('梅', 'c'), ('红', 'h'), ('黑', 's')];

fn chinese_suit(letter: char) -> Option<Suit> {
    let (_, suit) = CHINESE_SUITS.iter().find(|(chinese, _)| *chinese == letter)?;
    Suit::from_letter(*suit)
}

/// A natural card's place in [`CHINESE_SUITS`].
fn chinese_order(card: Card) -> usize {
    CHINESE_SUITS
        .iter()
        .position(|(_, suit)| Suit::from_letter(*suit) == Some(card.suit))
        .expect("all four suits are listed")
}

/// `As Td *1`.
#[must_use]
pub fn to_text(cards: &[DeckCard]) -> String {
    let cards: Vec<_> = cards.iter().map(ToString::to_string).collect();
    cards.join(" ")
}

/// `黑A,方10,鬼`: the jokers look alike.
#[must_use]
pub fn to_chinese(cards: &[DeckCard]) -> String {
    let one = |card: &DeckCard| match card.natural() {
        None => "鬼".to_owned(),
        Some(card) => {
            let rank = card.rank.to_string().replace('T', "10");
            format!("{}{rank}", CHINESE_SUITS[chinese_order(card)].0)
        }
    };
    cards.iter().map(one).collect::<Vec<_>>().join(",")
}

const KEY_OF_JOKER: u8 = 88;

fn key_byte(card: DeckCard) -> u8 {
    let natural = |card: Card| (chinese_order(card) << 4 | (card.rank.index() + 2)) as u8;
    card.natural().map_or(KEY_OF_JOKER, natural)
}

/// The decimal key of a hand: suit (diamonds 0, clubs 1, hearts 2, spades 3) x 16 + rank (2 to 14) of each card, 88 for a
/// joker, in ascending order, two digits each; the first digit is dropped if it is a zero.
#[must_use]
pub fn to_key(cards: &[DeckCard]) -> String {
    let mut bytes: Vec<_> = cards.iter().map(|card| key_byte(*card)).collect();
    bytes.sort_unstable();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02}")).collect();
    digits.strip_prefix('0').map_or(digits.clone(), str::to_owned)
}

/// The cards of a key, ascending; the first of two jokers is `*1`.
///
/// # Errors
/// [`TextError::Key`] unless it is the key of distinct cards.
pub fn from_key(key: &str) -> Result<Vec<DeckCard>, TextError> {
    let refused = || TextError::Key(key.chars().take(64).collect());
    if key.is_empty()
        || key.len() > 2 * crate::card::CARDS
        || !key.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(refused());
    }
    let digits = if key.len().is_multiple_of(2) { key.to_owned() } else { format!("0{key}") };
    let mut jokers = [DeckCard::FIRST_JOKER, DeckCard::SECOND_JOKER].into_iter();
    let mut cards = Vec::new();
    for two in digits.as_bytes().chunks(2) {
        let byte = (two[0] - b'0') * 10 + (two[1] - b'0');
        let natural = || Deck::Cards52.cards().find(|card| key_byte(*card) == byte);
        let card = if byte == KEY_OF_JOKER { jokers.next() } else { natural() };
        cards.push(card.ok_or_else(refused)?);
    }
    let ascending =
        cards.windows(2).all(|two| key_byte(two[0]) < key_byte(two[1]) || two[1].is_joker());
    if ascending { Ok(cards) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, TextError> {
        parse_together(&[text], Deck::Cards54).map(|hands| to_text(&hands[0]))
    }

    #[test]
    fn all_customary_forms_are_read() {
        for (text, cards) in [
            ("As Td *1", "As Td *1"),
            ("asTD*", "As Td *1"),
            ("A♠\u{fe0f} 10♦,*2", "As Td *2"),
            ("方4,方A,鬼,黑A,黑3，黑5,黑6", "4d Ad *1 As 3s 5s 6s"),
            ("红10 梅K 鬼,鬼", "Th Kc *1 *2"),
            ("* *1", "*2 *1"),
            ("*1*2", "*1 *2"),
            ("*10h", "*1 Th"),
            ("*2h", "*1 2h"),
            ("*22h", "*2 2h"),
            ("", ""),
        ] {
            assert_eq!(read(text).as_deref(), Ok(cards), "{text}");
        }
    }

    #[test]
    fn errors_point_at_the_place() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message("As Ah As").contains("As at position 7 is there already"));
        assert!(message("* * As *").contains("a third joker at position 8"));
        assert!(message("*3").contains("a third joker at position 1"));
        assert!(message("*1 *1").contains("*1 at position 4 is there already"));
        assert!(message("As Xh").contains("'X' at position 4 begins no card"));
        assert!(message("J1").contains("'1' at position 2 is not a suit"));
        assert!(message("As K").contains("a suit (s, h, d, c) is missing at position 5"));
        assert!(message("方").contains("a rank (2-10, J, Q, K, A) is missing at position 2"));
        assert!(message("方1").contains("'1' at position 2"));
        assert_eq!(read(&"A".repeat(MAX_TEXT_CHARACTERS + 1)), Err(TextError::TooLong));
    }

    #[test]
    fn decks_lack_jokers() {
        let message = |text: &str, deck| parse_together(&[text], deck).unwrap_err().to_string();
        assert!(message("As *", Deck::Cards52).contains("the deck of 52, which has no joker"));
        assert!(message("*2", Deck::Cards53).contains("one joker, *1"));
        assert!(message("* *", Deck::Cards53).contains("position 3"));
        assert!(parse_together(&["*"], Deck::Cards53).is_ok());
    }

    #[test]
    fn texts_that_belong_together_share_the_deck() {
        let hands = parse_together(&["方3,鬼", "鬼,黑2"], Deck::Cards54).unwrap();
        assert_eq!(to_text(&hands[0]), "3d *1");
        assert_eq!(to_text(&hands[1]), "*2 2s");
        let error = parse_together(&["As *", "*1 As"], Deck::Cards54).unwrap_err();
        assert!(error.to_string().starts_with("'*1 As': As at position 4"), "{error}");
        assert!(
            parse_hand("As", Deck::Cards54, &[2])
                .unwrap_err()
                .to_string()
                .contains("has 1 cards, where 2 are")
        );
    }

    #[test]
    fn keys_and_chinese_text_go_there_and_back() {
        let cards = parse_hand("方4,方A,鬼,黑A,黑3,黑5,黑6", Deck::Cards54, &[7]).unwrap();
        assert_eq!(to_chinese(&cards), "方4,方A,鬼,黑A,黑3,黑5,黑6");
        assert_eq!(to_key(&cards), "4145153546288");
        let back = from_key("4145153546288").unwrap();
        assert_eq!(to_text(&back), "4d Ad 3s 5s 6s As *1");
        assert_eq!(to_text(&from_key("8888").unwrap()), "*1 *2");
        for card in Deck::Cards54.cards() {
            let back = from_key(&to_key(&[card])).unwrap();
            assert_eq!(back[0].natural(), card.natural());
        }
        for bad in ["", "99", "888888", "1404", "0404", "x", "4145x"] {
            assert!(from_key(bad).is_err(), "{bad}");
        }
    }
}
