//! The basket and what may be put into it.

/// Most colours of a basket that is played or solved.
pub const MAX_COLOURS: usize = 1_000;
/// Most balls of one colour.
pub const MAX_BALLS: u32 = 1_000;

/// A basket: how many balls of each colour it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Basket {
    capacities: Vec<u32>,
}

/// Who wins when the basket is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Whoever placed the last ball.
    #[default]
    Normal,
    /// The other.
    Misere,
}

/// Balls in a basket, by colour.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    placed: Vec<u32>,
}

/// Balls of one colour, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Colour, from 0.
    pub colour: usize,
    /// Number of balls.
    pub balls: u32,
}

/// A basket, a position or a move that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BasketError {
    /// No colours, or too many.
    #[error("{0} colours do not fit: 1 to {MAX_COLOURS} are right")]
    Colours(usize),
    /// No balls, or too many.
    #[error("{0} balls of a colour do not fit: 1 to {MAX_BALLS} are right")]
    Balls(u32),
    /// Balls of another number of colours.
    #[error("{found} numbers are given, but the basket has {wanted} colours: {names}")]
    Length {
        /// Given.
        found: usize,
        /// Colours.
        wanted: usize,
        /// Their names.
        names: String,
    },
    /// More balls than places.
    #[error("{colour} has {found} balls, but only {capacity} places: 0 to {capacity} is right")]
    TooMany {
        /// Name of the colour.
        colour: String,
        /// Given.
        found: u32,
        /// Places.
        capacity: u32,
    },
    /// A move that does not fit.
    #[error("only {free} {colour} {} free", if *free == 1 { "place is" } else { "places are" })]
    NoRoom {
        /// Name of the colour.
        colour: String,
        /// Free places.
        free: u32,
    },
    /// A move of nothing.
    #[error("at least one ball has to be placed")]
    Nothing,
}

impl Basket {
    /// A basket that takes so many balls of each colour.
    ///
    /// # Errors
    /// [`BasketError::Colours`] and [`BasketError::Balls`].
    pub fn new(capacities: Vec<u32>) -> Result<Self, BasketError> {
        if !(1..=MAX_COLOURS).contains(&capacities.len()) {
            return Err(BasketError::Colours(capacities.len()));
        }
        match capacities.iter().find(|balls| !(1..=MAX_BALLS).contains(balls)) {
            Some(balls) => Err(BasketError::Balls(*balls)),
            None => Ok(Self { capacities }),
        }
    }

    /// `balls` of each of `colours`.
    ///
    /// # Errors
    /// As [`Basket::new`].
    pub fn even(colours: usize, balls: u32) -> Result<Self, BasketError> {
        if colours > MAX_COLOURS {
            return Err(BasketError::Colours(colours));
        }
        Self::new(vec![balls; colours])
    }

    /// Three balls of each of three colours.
    #[must_use]
    pub fn classic() -> Self {
        Self { capacities: vec![3; 3] }
    }

    /// Number of colours.
    #[must_use]
    pub fn colours(&self) -> usize {
        self.capacities.len()
    }

    /// Places of each colour.
    #[must_use]
    pub fn capacities(&self) -> &[u32] {
        &self.capacities
    }

    /// Number of positions, if it fits.
    #[must_use]
    pub fn positions(&self) -> Option<u64> {
        self.capacities.iter().try_fold(1u64, |all, places| all.checked_mul(u64::from(*places) + 1))
    }

    /// Nothing in it.
    #[must_use]
    pub fn empty(&self) -> Position {
        Position { placed: vec![0; self.colours()] }
    }

    /// The position with so many balls placed.
    ///
    /// # Errors
    /// [`BasketError::Length`] and [`BasketError::TooMany`].
    pub fn position(&self, placed: Vec<u32>) -> Result<Position, BasketError> {
        if placed.len() != self.colours() {
            let names: Vec<_> = (0..self.colours()).map(|colour| self.name(colour)).collect();
            let (found, wanted) = (placed.len(), self.colours());
            return Err(BasketError::Length { found, wanted, names: names.join(", ") });
        }
        for (colour, (found, capacity)) in placed.iter().zip(&self.capacities).enumerate() {
            if found > capacity {
                let (found, capacity) = (*found, *capacity);
                return Err(BasketError::TooMany { colour: self.name(colour), found, capacity });
            }
        }
        Ok(Position { placed })
    }

    /// The position with number `index` when colour 1 changes slowest.
    ///
    /// # Panics
    /// If there are not so many positions.
    #[must_use]
    pub fn position_at(&self, mut index: u64) -> Position {
        let mut placed = vec![0; self.colours()];
        for (placed, places) in placed.iter_mut().zip(&self.capacities).rev() {
            *placed = (index % (u64::from(*places) + 1)) as u32;
            index /= u64::from(*places) + 1;
        }
        assert_eq!(index, 0, "there are not so many positions");
        Position { placed }
    }

    /// The number of a position.
    #[must_use]
    pub fn index(&self, position: &Position) -> u64 {
        let digits = position.placed.iter().zip(&self.capacities);
        digits.fold(0, |index, (placed, places)| {
            index * (u64::from(*places) + 1) + u64::from(*placed)
        })
    }

    /// Balls still missing, by colour.
    pub fn missing(&self, position: &Position) -> impl Iterator<Item = u32> {
        self.capacities.iter().zip(&position.placed).map(|(places, placed)| places - placed)
    }

    /// Whether no ball is missing.
    #[must_use]
    pub fn is_full(&self, position: &Position) -> bool {
        position.placed == self.capacities
    }

    /// All moves, by colour and number of balls.
    pub fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        let missing = self.missing(position).enumerate();
        missing.flat_map(|(colour, missing)| (1..=missing).map(move |balls| Move { colour, balls }))
    }

    /// The position after a move.
    ///
    /// # Errors
    /// [`BasketError::Nothing`] and [`BasketError::NoRoom`].
    ///
    /// # Panics
    /// If the basket has no such colour.
    pub fn after(&self, position: &Position, step: Move) -> Result<Position, BasketError> {
        let free = self.capacities[step.colour] - position.placed[step.colour];
        match step.balls {
            0 => Err(BasketError::Nothing),
            balls if balls > free => {
                Err(BasketError::NoRoom { colour: self.name(step.colour), free })
            }
            balls => {
                let mut next = position.clone();
                next.placed[step.colour] += balls;
                Ok(next)
            }
        }
    }
}

impl Position {
    /// Balls placed, by colour.
    #[must_use]
    pub fn placed(&self) -> &[u32] {
        &self.placed
    }
}
