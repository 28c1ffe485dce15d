//! What all questions about a seat have in common.

use clap::{Args, ValueEnum};
use fulldeck_common::betting::answer::Question;
use fulldeck_common::betting::preflop::{Order, Preflop};

use crate::error::CliError;

/// A seat of a structure.
#[derive(Clone, Debug, Args)]
pub(super) struct Asked {
    /// Number of players, 2 to 23
    #[arg(required_unless_present = "stdin")]
    players: Option<u64>,
    /// Seat: a position (UTG, .., CO, BTN, SB, BB), or a number by --blind-order
    #[arg(default_value = "BB")]
    seat: String,
    /// Highest bet, the big blind being 1: one raise less than this is possible
    #[arg(long, env = "FULLDECK_CAP", value_name = "N", default_value_t = 4)]
    cap: u64,
    /// Whether a player may fold where checking costs nothing
    #[arg(long, env = "FULLDECK_FOLD_WHEN_FREE", value_name = "WHETHER", default_value = "yes")]
    fold_when_free: YesNo,
    /// How seats are numbered: 0 first to act and the big blind last, or 0 the small blind and 1 the big blind
    #[arg(
        long,
        env = "FULLDECK_BLIND_ORDER",
        value_name = "ORDER",
        default_value = "first-to-act"
    )]
    blind_order: SeatOrder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SeatOrder {
    FirstToAct,
    SmallBlind,
}

impl Asked {
    pub(super) fn question(&self) -> Result<Question, CliError> {
        let wrong = |error: &dyn std::fmt::Display| CliError::usage(error.to_string());
        let players =
            self.players.ok_or_else(|| CliError::usage("the number of players is missing"))?;
        let structure = Preflop::new(players, self.cap)
            .map_err(|error| wrong(&error))?
            .with_fold_when_free(self.fold_when_free == YesNo::Yes);
        let order = match self.blind_order {
            SeatOrder::FirstToAct => Order::FirstToAct,
            SeatOrder::SmallBlind => Order::SmallBlind,
        };
        let seat = structure.seat_named(&self.seat, order).map_err(|error| wrong(&error))?;
        Ok(Question { structure, seat, order })
    }
}
