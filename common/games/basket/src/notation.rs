//! How colours, moves and positions are written.

use crate::{Basket, BasketError, Move, Position};

/// Names of up to three colours.
const NAMES: [&str; 3] = ["red", "blue", "green"];

/// A text that is no move or position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Not a number where one is needed.
    #[error("'{0}' is no number of balls")]
    Number(String),
    /// No such colour.
    #[error("'{text}' is no colour: {known}")]
    Colour {
        /// Given.
        text: String,
        /// What there is.
        known: String,
    },
    /// Not of the form of a move.
    #[error("'{text}' is no move: {example} is one")]
    Form {
        /// Given.
        text: String,
        /// A move.
        example: String,
    },
    /// It does not fit the basket.
    #[error(transparent)]
    Basket(#[from] BasketError),
}

impl Basket {
    /// Name of a colour, from 0: red, blue and green, or c1, c2 and so on if there are more than three.
    #[must_use]
    pub fn name(&self, colour: usize) -> String {
        match NAMES.get(colour) {
            Some(name) if self.colours() <= NAMES.len() => (*name).to_owned(),
            _ => format!("c{}", colour + 1),
        }
    }

    /// A move as text, e.g. `red+2`.
    #[must_use]
    pub fn write_move(&self, step: Move) -> String {
        format!("{}+{}", self.name(step.colour), step.balls)
    }

    /// Moves as text, separated by spaces.
    #[must_use]
    pub fn write_moves(&self, steps: &[Move]) -> String {
        steps.iter().map(|step| self.write_move(*step)).collect::<Vec<_>>().join(" ")
    }

    /// Reads `red+2`, `r2`, `red 2` or `2 red`, in any case. Whether it fits a position is another question.
    ///
    /// # Errors
    /// [`NotationError`] saying what would be right.
    pub fn read_move(&self, text: &str) -> Result<Move, NotationError> {
        let lower = text.trim().to_lowercase();
        let form = || NotationError::Form {
            text: text.trim().to_owned(),
            example: format!("{}+1", self.name(0)),
        };
        let parts: Vec<&str> = lower
            .split(|c: char| c == '+' || c.is_whitespace())
            .filter(|p| !p.is_empty())
            .collect();
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let (colour, balls) = match parts[..] {
            [balls, colour] if is_number(balls) => (colour, balls),
            [colour, balls] => (colour, balls),
            // `r2`: the number is what follows the letters; `c1` alone would be a colour.
            [word] if self.colours() <= NAMES.len() => {
                let end = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
                if end == 0 || end == word.len() {
                    return Err(form());
                }
                word.split_at(end)
            }
            _ => return Err(form()),
        };
        let number = balls.parse().map_err(|_| NotationError::Number(balls.to_owned()))?;
        Ok(Move { colour: self.colour_named(colour)?, balls: number })
    }

    /// A colour by its name or the beginning of it.
    fn colour_named(&self, text: &str) -> Result<usize, NotationError> {
        let named = |colour: &usize| {
            let name = self.name(*colour);
            name == text || (self.colours() <= NAMES.len() && name.starts_with(text))
        };
        (0..self.colours()).find(named).ok_or_else(|| NotationError::Colour {
            text: text.to_owned(),
            known: match self.colours() {
                few if few <= NAMES.len() => format!("{} are", NAMES[..few].join(", ")),
                many => format!("c1 to c{many} are"),
            },
        })
    }

    /// Moves separated by spaces.
    ///
    /// # Errors
    /// As [`Basket::read_move`].
    pub fn read_moves(&self, text: &str) -> Result<Vec<Move>, NotationError> {
        text.split_whitespace().map(|word| self.read_move(word)).collect()
    }

    /// Reads balls placed, e.g. `1,1,3`.
    ///
    /// # Errors
    /// [`NotationError`] saying what would be right.
    pub fn read_position(&self, text: &str) -> Result<Position, NotationError> {
        let numbers = text.split(',').map(|part| {
            let part = part.trim();
            part.parse().map_err(|_| NotationError::Number(part.to_owned()))
        });
        Ok(self.position(numbers.collect::<Result<_, _>>()?)?)
    }

    /// A position as text.
    #[must_use]
    pub fn write_position(&self, position: &Position) -> String {
        position.placed().iter().map(u32::to_string).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_every_way_people_write_them() {
        let basket = Basket::classic();
        for text in ["r2", "R2", "red 2", "red+2", "2 red", " Red  +  2 ", "re2", "2 r", "red2"] {
            assert_eq!(basket.read_move(text), Ok(Move { colour: 0, balls: 2 }), "{text}");
        }
        assert_eq!(basket.read_move("g1"), Ok(Move { colour: 2, balls: 1 }));
        for text in ["", "2", "red", "yellow 2", "r", "red two", "red+2+1", "r-1", "r99999999999"] {
            assert!(basket.read_move(text).is_err(), "{text}");
        }
        let many = Basket::even(12, 9).unwrap();
        assert_eq!(many.read_move("c12+3"), Ok(Move { colour: 11, balls: 3 }));
        assert_eq!(many.read_move("3 c1"), Ok(Move { colour: 0, balls: 3 }));
        assert!(many.read_move("c13+1").unwrap_err().to_string().contains("c1 to c12"));
        assert!(many.read_move("c12").is_err());
    }

    #[test]
    fn every_move_is_read_as_it_is_written() {
        for (colours, balls) in [(1, 9), (2, 3), (3, 3), (5, 4)] {
            let basket = Basket::even(colours, balls).unwrap();
            for step in basket.moves(&basket.empty()) {
                assert_eq!(basket.read_move(&basket.write_move(step)), Ok(step));
            }
        }
    }

    #[test]
    fn positions_say_what_is_wrong() {
        let basket = Basket::classic();
        assert_eq!(basket.read_position("1,1,3").unwrap().placed(), [1, 1, 3]);
        let wrong = |text| basket.read_position(text).unwrap_err().to_string();
        assert_eq!(wrong("4,0,0"), "red has 4 balls, but only 3 places: 0 to 3 is right");
        assert!(wrong("1,1").contains("3 colours"));
        assert!(wrong("1,x,1").contains("'x'"));
    }
}
