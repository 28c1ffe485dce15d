//! Starting hands: their classes, and the exact odds of each, which come with the program.

use std::fmt;
use std::sync::OnceLock;

use fulldeck_cards::{RANKS, Rank};

use crate::card::NATURAL;
use crate::table::{Table, completions};
use crate::{Deck, DeckCard, Odds, Rule};

/// A class of starting hands that differ only in the names of suits and jokers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HoleClass {
    /// Both jokers: `**`.
    TwoJokers,
    /// A joker and a rank: `A*`.
    Joker(Rank),
    /// A pair: `AA`.
    Pair(Rank),
    /// Two ranks of one suit, the higher first: `AKs`.
    Suited(Rank, Rank),
    /// Two ranks of two suits, the higher first: `AKo`.
    Offsuit(Rank, Rank),
}

impl HoleClass {
    /// The class of a hole.
    #[must_use]
    pub fn of(hole: [DeckCard; 2]) -> Self {
        match hole.map(DeckCard::natural) {
            [None, None] => Self::TwoJokers,
            [Some(card), None] | [None, Some(card)] => Self::Joker(card.rank),
            [Some(a), Some(b)] if a.rank == b.rank => Self::Pair(a.rank),
            [Some(a), Some(b)] => {
                let (high, low) = (a.rank.max(b.rank), a.rank.min(b.rank));
                if a.suit == b.suit { Self::Suited(high, low) } else { Self::Offsuit(high, low) }
            }
        }
    }

    /// From its name; ranks and letters in any case, ranks in any order.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let letters: Vec<char> = name.trim().chars().collect();
        let rank = |at: usize| letters.get(at).copied().and_then(Rank::from_letter);
        match (letters.as_slice(), rank(0), rank(1)) {
            (['*', '*'], ..) => Some(Self::TwoJokers),
            ([_, '*'], Some(rank), _) | (['*', _], _, Some(rank)) => Some(Self::Joker(rank)),
            ([_, _], Some(a), Some(b)) if a == b => Some(Self::Pair(a)),
            ([_, _, 's' | 'S'], Some(a), Some(b)) if a != b => {
                Some(Self::Suited(a.max(b), a.min(b)))
            }
            ([_, _, 'o' | 'O'], Some(a), Some(b)) if a != b => {
                Some(Self::Offsuit(a.max(b), a.min(b)))
            }
            _ => None,
        }
    }

    /// All classes of a deck: jokers, pairs, suited, offsuit, each from the highest rank down.
    #[must_use]
    pub fn all(deck: Deck) -> Vec<Self> {
        let ranks = || (0..RANKS as u8).rev().filter_map(Rank::new);
        let two =
            || ranks().flat_map(move |a| ranks().filter(move |b| *b < a).map(move |b| (a, b)));
        let jokers = (deck.jokers() == 2).then_some(Self::TwoJokers);
        let joker = ranks().filter(|_| deck.jokers() > 0).map(Self::Joker);
        jokers
            .into_iter()
            .chain(joker)
            .chain(ranks().map(Self::Pair))
            .chain(two().map(|(a, b)| Self::Suited(a, b)))
            .chain(two().map(|(a, b)| Self::Offsuit(a, b)))
            .collect()
    }

    /// Number of holes of the class.
    #[must_use]
    pub const fn holes(self, deck: Deck) -> u64 {
        match self {
            Self::TwoJokers => 1,
            Self::Joker(_) => 4 * deck.jokers() as u64,
            Self::Pair(_) => 6,
            Self::Suited(..) => 4,
            Self::Offsuit(..) => 12,
        }
    }

    /// One hole of the class.
    #[must_use]
    pub fn hole(self) -> [DeckCard; 2] {
        let card = |rank: Rank, suit: u8| {
            DeckCard::new(suit * RANKS as u8 + rank.index() as u8).expect("a natural card")
        };
        match self {
            Self::TwoJokers => [DeckCard::FIRST_JOKER, DeckCard::SECOND_JOKER],
            Self::Joker(rank) => [card(rank, 0), DeckCard::FIRST_JOKER],
            Self::Pair(rank) => [card(rank, 0), card(rank, 1)],
            Self::Suited(high, low) => [card(high, 0), card(low, 0)],
            Self::Offsuit(high, low) => [card(high, 0), card(low, 1)],
        }
    }
}

impl fmt::Display for HoleClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwoJokers => write!(f, "**"),
            Self::Joker(rank) => write!(f, "{rank}*"),
            Self::Pair(rank) => write!(f, "{rank}{rank}"),
            Self::Suited(high, low) => write!(f, "{high}{low}s"),
            Self::Offsuit(high, low) => write!(f, "{high}{low}o"),
        }
    }
}

/// Exact odds of every starting hand against a random opponent, for one deck and rule.
#[derive(Clone, Debug)]
pub struct Preflop {
    deck: Deck,
    rows: Vec<(HoleClass, Odds)>,
}

/// Win and tie of every class, decks and rules in turn: what `examples/preflop.rs` prints.
const KNOWN: &str = include_str!("preflop.csv");

impl Preflop {
    /// The odds that come with the program. Without jokers both rules are the same.
    ///
    /// # Panics
    /// Never: the file is part of the program, and a test reads all of it.
    #[must_use]
    pub fn known(deck: Deck, rule: Rule) -> &'static Self {
        static TABLES: OnceLock<Vec<(Deck, Rule, Preflop)>> = OnceLock::new();
        let tables = TABLES.get_or_init(|| {
            let all = Deck::ALL.into_iter().flat_map(|deck| Rule::ALL.map(|rule| (deck, rule)));
            all.map(|(deck, rule)| (deck, rule, Self::read(deck, rule))).collect()
        });
        let found = tables.iter().find(|(d, r, _)| *d == deck && *r == rule);
        &found.expect("all decks and rules are there").2
    }

    fn read(deck: Deck, rule: Rule) -> Self {
        let rule = if deck == Deck::Cards52 { Rule::Distinct } else { rule };
        let (size, rule) = (deck.to_string(), rule.name());
        let total = completions(deck, 0);
        let row = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            let [line_deck, line_rule, class, win, tie] = fields.try_into().ok()?;
            if line_deck != size || line_rule != rule {
                return None;
            }
            let (win, tie): (u64, u64) = (win.parse().ok()?, tie.parse().ok()?);
            Some((HoleClass::named(class)?, Odds { win, tie, lose: total - win - tie }))
        };
        let rows: Vec<_> = KNOWN.lines().filter_map(row).collect();
        assert_eq!(
            rows.len(),
            HoleClass::all(deck).len(),
            "every class of {size} {rule} is listed"
        );
        Self { deck, rows }
    }

    /// From the odds of all classes of a deck, in their order.
    pub(crate) const fn new(deck: Deck, rows: Vec<(HoleClass, Odds)>) -> Self {
        Self { deck, rows }
    }

    /// From a computed table.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        let odds = |class: HoleClass| {
            (class, table.odds(class.hole(), &[]).expect("a class has holes of its deck"))
        };
        Self {
            deck: table.deck(),
            rows: HoleClass::all(table.deck()).into_iter().map(odds).collect(),
        }
    }

    /// The deck.
    #[must_use]
    pub const fn deck(&self) -> Deck {
        self.deck
    }

    /// The classes in their order, with the odds of one hole of each.
    #[must_use]
    pub fn rows(&self) -> &[(HoleClass, Odds)] {
        &self.rows
    }

    /// Odds of one hole of a class; `None` if the deck has no such hole.
    #[must_use]
    pub fn odds(&self, class: HoleClass) -> Option<Odds> {
        self.rows.iter().find(|(known, _)| *known == class).map(|(_, odds)| *odds)
    }

    /// The grid of starting hands: rows and columns are the joker (if the deck has one) and the ranks from the ace down;
    /// suited hands are above the diagonal, offsuit hands below. `None` where there is no such hand (`**` with one joker).
    #[must_use]
    pub fn grid(&self) -> Vec<Vec<Option<(HoleClass, Odds)>>> {
        let joker = (self.deck.jokers() > 0).then_some(None);
        let ranks = (0..RANKS as u8).rev().map(Rank::new);
        let lines: Vec<Option<Rank>> = joker.into_iter().chain(ranks).collect();
        let cell = |row: Option<Rank>, column: Option<Rank>| {
            let class = match (row, column) {
                (None, None) => HoleClass::TwoJokers,
                (Some(rank), None) | (None, Some(rank)) => HoleClass::Joker(rank),
                (Some(row), Some(column)) if row == column => HoleClass::Pair(row),
                (Some(row), Some(column)) if row > column => HoleClass::Suited(row, column),
                (Some(row), Some(column)) => HoleClass::Offsuit(column, row),
            };
            self.odds(class).map(|odds| (class, odds))
        };
        lines.iter().map(|row| lines.iter().map(|column| cell(*row, *column)).collect()).collect()
    }
}

const _: () = assert!(NATURAL as usize == 4 * RANKS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names_and_cover_all_holes() {
        for (deck, count) in [(Deck::Cards52, 169), (Deck::Cards53, 182), (Deck::Cards54, 183)] {
            let classes = HoleClass::all(deck);
            assert_eq!(classes.len(), count);
            let holes: u64 = classes.iter().map(|class| class.holes(deck)).sum();
            assert_eq!(holes, (deck.size() * (deck.size() - 1) / 2) as u64);
            for class in classes {
                assert_eq!(HoleClass::named(&class.to_string()), Some(class));
                assert_eq!(HoleClass::of(class.hole()), class);
            }
        }
        for (name, class) in [("*a", "A*"), ("kas", "AKs"), ("27O", "72o"), (" TT ", "TT")] {
            assert_eq!(
                HoleClass::named(name).map(|class| class.to_string()).as_deref(),
                Some(class)
            );
        }
        for bad in ["", "A", "AK", "AAs", "AKx", "***", "AKso"] {
            assert_eq!(HoleClass::named(bad), None, "{bad}");
        }
    }

    /// What one player wins, another loses.
    #[test]
    fn wins_and_losses_balance_in_every_table() {
        for deck in Deck::ALL {
            for rule in Rule::ALL {
                let table = Preflop::known(deck, rule);
                let sum = |part: fn(&Odds) -> u64| -> u64 {
                    table.rows().iter().map(|(class, odds)| class.holes(deck) * part(odds)).sum()
                };
                assert_eq!(sum(|odds| odds.win), sum(|odds| odds.lose), "{deck} {rule:?}");
                assert_eq!(table.grid().len(), if deck.jokers() > 0 { 14 } else { 13 });
            }
        }
        let grid = Preflop::known(Deck::Cards54, Rule::Distinct).grid();
        let name = |row: usize, column: usize| grid[row][column].expect("a hand").0.to_string();
        assert_eq!([name(0, 0), name(0, 1), name(1, 2), name(2, 1)], ["**", "A*", "AKs", "AKo"]);
    }
}
