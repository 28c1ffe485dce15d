//! Structures known by name.

use super::{Betting, Cards, MAX_PLAYERS, Structure, StructureError};
use crate::preflop::{Preflop, PreflopError};

/// The names that [`Structure::built_in`] knows, with what they are.
pub const BUILT_IN: &[(&str, &str)] = &[
    (
        "seed:PLAYERS,CAP",
        "one fixed-limit round without cards, bets up to CAP, folding always allowed",
    ),
    ("kuhn:PLAYERS", "Kuhn poker: one card each of PLAYERS + 1, one bet"),
    ("leduc", "Leduc hold'em: six cards, two rounds of at most two bets"),
    ("hu-limit", "heads-up limit Texas hold'em, four bets a round"),
    ("hu-nolimit:SB,BB,STACK", "heads-up no-limit Texas hold'em, stacks in chips"),
];

/// A name that is not known, or numbers that do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuiltInError {
    /// No such name.
    #[error(
        "no structure is called '{0}': seed:PLAYERS,CAP, kuhn:PLAYERS, leduc, hu-limit and hu-nolimit:SB,BB,STACK are"
    )]
    Name(String),
    /// Wrong numbers after the name.
    #[error("'{0}' has the wrong numbers: {1} is right")]
    Numbers(String, &'static str),
    /// Numbers out of range.
    #[error(transparent)]
    Preflop(#[from] PreflopError),
    /// A structure that cannot be counted.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

impl Structure {
    /// A structure by its name: see [`BUILT_IN`].
    ///
    /// # Errors
    /// [`BuiltInError`] saying what would be right.
    pub fn built_in(text: &str) -> Result<Self, BuiltInError> {
        let (name, numbers) = text.split_once(':').unwrap_or((text, ""));
        let numbers = |form: &'static str, wanted: usize| -> Result<Vec<u32>, BuiltInError> {
            let wrong = || BuiltInError::Numbers(text.to_owned(), form);
            let found: Vec<u32> = match numbers {
                "" => Vec::new(),
                numbers => numbers
                    .split(',')
                    .map(|number| number.trim().parse().map_err(|_| wrong()))
                    .collect::<Result<_, _>>()?,
            };
            if found.len() == wanted { Ok(found) } else { Err(wrong()) }
        };
        let structure = match name {
            "seed" => {
                let numbers = numbers("seed:PLAYERS,CAP", 2)?;
                Self::seed(&Preflop::new(numbers[0].into(), numbers[1].into())?)
            }
            "kuhn" => Self::kuhn(numbers("kuhn:PLAYERS", 1)?[0]),
            "leduc" => {
                numbers("leduc", 0)?;
                Self::leduc()
            }
            "hu-limit" => {
                numbers("hu-limit", 0)?;
                Self::hu_limit()
            }
            "hu-nolimit" => {
                let numbers = numbers("hu-nolimit:SB,BB,STACK", 3)?;
                Self::hu_no_limit(numbers[0], numbers[1], numbers[2])
            }
            _ => return Err(BuiltInError::Name(text.to_owned())),
        };
        Ok(structure.validated()?)
    }

    /// The structure of [`Preflop`] in these terms; more than ten players are refused when it is validated.
    #[must_use]
    pub fn seed(preflop: &Preflop) -> Self {
        let players = usize::from(preflop.players());
        let mut blinds = vec![0; players];
        blinds[players - 1] = 1;
        Self {
            betting: Betting::Limit {
                max_raises: vec![u32::from(preflop.cap()) - 1],
                heads_up: None,
            },
            blinds,
            first: vec![0],
            fold_when_free: preflop.fold_when_free(),
            positions: preflop.seats().map(|seat| preflop.position_name(seat)).collect(),
            cards: Cards { suits: 1, ranks: 1, hole: 0, board: vec![0] },
        }
    }

    fn kuhn(players: u32) -> Self {
        Self {
            betting: Betting::Limit { max_raises: vec![1], heads_up: None },
            blinds: vec![1; players.min(MAX_PLAYERS as u32 + 1) as usize],
            first: vec![0],
            fold_when_free: false,
            positions: Vec::new(),
            cards: Cards { suits: 1, ranks: players.saturating_add(1), hole: 1, board: vec![0] },
        }
    }

    fn leduc() -> Self {
        Self {
            betting: Betting::Limit { max_raises: vec![2, 2], heads_up: None },
            blinds: vec![1, 1],
            first: vec![0, 0],
            fold_when_free: false,
            positions: Vec::new(),
            cards: Cards { suits: 2, ranks: 3, hole: 1, board: vec![0, 1] },
        }
    }

    fn hu_limit() -> Self {
        Self {
            betting: Betting::Limit { max_raises: vec![3, 4, 4, 4], heads_up: None },
            blinds: vec![10, 5],
            ..Self::hu_no_limit(5, 10, 10)
        }
    }

    fn hu_no_limit(small_blind: u32, big_blind: u32, stack: u32) -> Self {
        Self {
            betting: Betting::NoLimit { stack },
            blinds: vec![big_blind, small_blind],
            first: vec![1, 0, 0, 0],
            fold_when_free: false,
            positions: vec!["BB".to_owned(), "SB/BTN".to_owned()],
            cards: Cards { suits: 4, ranks: 13, hole: 2, board: vec![0, 3, 1, 1] },
        }
    }
}
