//! Seats and roles.

use std::fmt;

/// A seat, 0 to 2 in order of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

/// What a player is in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Alone against two.
    Landlord,
    /// The farmer who plays after the landlord.
    Down,
    /// The farmer who plays before the landlord.
    Up,
}

impl Seat {
    /// The three seats.
    pub const ALL: [Self; 3] = [Self(0), Self(1), Self(2)];

    /// Seat number 0, 1 or 2.
    ///
    /// # Panics
    /// If there is no such seat.
    #[must_use]
    pub const fn new(number: usize) -> Self {
        assert!(number < 3, "there are three seats");
        Self(number as u8)
    }

    /// Its number.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat that plays next.
    #[must_use]
    pub const fn next(self) -> Self {
        self.after(1)
    }

    /// The seat so many places on.
    #[must_use]
    pub const fn after(self, places: usize) -> Self {
        Self(((self.0 as usize + places) % 3) as u8)
    }

    /// What it is when `landlord` is the landlord's.
    #[must_use]
    pub const fn role(self, landlord: Self) -> Role {
        match (3 + self.0 - landlord.0) % 3 {
            0 => Role::Landlord,
            1 => Role::Down,
            _ => Role::Up,
        }
    }
}

impl Role {
    /// Whether both are on one side.
    #[must_use]
    pub fn same_side(self, other: Self) -> bool {
        (self == Self::Landlord) == (other == Self::Landlord)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Landlord => "landlord",
            Self::Down => "farmer down",
            Self::Up => "farmer up",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
