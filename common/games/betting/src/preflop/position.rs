//! Names and numbers of seats.

use std::fmt;
use std::str::FromStr;

use super::{Preflop, PreflopError};

/// A seat by order of action: 0 is first to act, the last is the big blind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(pub u8);

/// How seats are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// 0 is first to act, the last is the big blind.
    #[default]
    FirstToAct,
    /// 0 is the small blind, 1 the big blind, and so on round the table.
    SmallBlind,
}

impl Order {
    /// The name of the order.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstToAct => "first-to-act",
            Self::SmallBlind => "small-blind",
        }
    }
}

/// A position that does not exist at this table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A number out of range.
    #[error(transparent)]
    Seat(#[from] PreflopError),
    /// No such name.
    #[error("'{name}' is no position of {players} players: {known} are, and so are seat numbers")]
    Name {
        /// What was given.
        name: String,
        /// Players.
        players: u8,
        /// What exists.
        known: String,
    },
}

impl Preflop {
    /// The seat's usual name: `UTG`, `UTG+1`, .., `LJ`, `HJ`, `CO`, `BTN`, `SB`, `BB`; heads-up `SB/BTN` and `BB`.
    #[must_use]
    pub fn position_name(&self, seat: Seat) -> String {
        let from_last = self.players() - 1 - seat.0;
        let name = match (self.players(), seat.0, from_last) {
            (2, 0, _) => "SB/BTN",
            (_, _, 0) => "BB",
            (_, _, 1) => "SB",
            (_, _, 2) => "BTN",
            (_, 0, _) => "UTG",
            (_, _, 3) => "CO",
            (_, _, 4) => "HJ",
            (_, _, 5) => "LJ",
            (_, number, _) => return format!("UTG+{number}"),
        };
        name.to_owned()
    }

    /// The seat's number in `order`.
    #[must_use]
    pub fn number_in(&self, seat: Seat, order: Order) -> u8 {
        match order {
            Order::FirstToAct => seat.0,
            // The small blind is last but one; heads-up he is first.
            Order::SmallBlind => (seat.0 + 2) % self.players(),
        }
    }

    /// The seat with a name, in any case, or with a number in `order`.
    ///
    /// # Errors
    /// [`PositionError`] naming what exists.
    pub fn seat_named(&self, text: &str, order: Order) -> Result<Seat, PositionError> {
        if let Ok(number) = text.parse::<u64>() {
            self.seat(number)?;
            let is_it = |seat: &Seat| u64::from(self.number_in(*seat, order)) == number;
            return Ok(self.seats().find(is_it).expect("numbers in an order are a permutation"));
        }
        let wanted = text.to_ascii_uppercase();
        let alias = |name: &str| name.split('/').any(|part| part == wanted) || name == wanted;
        self.seats().find(|seat| alias(&self.position_name(*seat))).ok_or_else(|| {
            let known: Vec<_> = self.seats().map(|seat| self.position_name(seat)).collect();
            PositionError::Name {
                name: text.to_owned(),
                players: self.players(),
                known: known.join(", "),
            }
        })
    }
}

/// A word that names no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no order of seats: first-to-act or small-blind is right")]
pub struct OrderError(String);

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        match text {
            "first-to-act" => Ok(Self::FirstToAct),
            "small-blind" => Ok(Self::SmallBlind),
            _ => Err(OrderError(text.to_owned())),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_their_usual_names() {
        let names = |players| {
            let table = Preflop::new(players, 4).unwrap();
            table.seats().map(|seat| table.position_name(seat)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(2), "SB/BTN BB");
        assert_eq!(names(3), "BTN SB BB");
        assert_eq!(names(4), "UTG BTN SB BB");
        assert_eq!(names(6), "UTG HJ CO BTN SB BB");
        assert_eq!(names(9), "UTG UTG+1 UTG+2 LJ HJ CO BTN SB BB");
    }

    #[test]
    fn seats_are_found_by_every_name_and_number() {
        for players in 2..=23 {
            let table = Preflop::new(players, 4).unwrap();
            for seat in table.seats() {
                let name = table.position_name(seat).to_lowercase();
                assert_eq!(table.seat_named(&name, Order::FirstToAct), Ok(seat));
                for order in [Order::FirstToAct, Order::SmallBlind] {
                    let number = table.number_in(seat, order).to_string();
                    assert_eq!(table.seat_named(&number, order), Ok(seat), "{players} {order}");
                }
            }
        }
        let table = Preflop::new(3, 4).unwrap();
        let numbers: Vec<_> =
            table.seats().map(|seat| table.number_in(seat, Order::SmallBlind)).collect();
        assert_eq!(numbers, [2, 0, 1], "button, small blind, big blind");
        let heads_up = Preflop::new(2, 4).unwrap();
        assert_eq!(heads_up.seat_named("btn", Order::SmallBlind), Ok(Seat(0)));
        let error = table.seat_named("UTG", Order::FirstToAct).unwrap_err().to_string();
        assert!(error.contains("BTN, SB, BB"), "{error}");
        assert!(table.seat_named("3", Order::FirstToAct).is_err());
    }
}
