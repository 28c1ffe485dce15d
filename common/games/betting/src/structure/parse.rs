//! Structure files in the format of the Annual Computer Poker Competition, with a few keys more.
//!
//! ```text
//! GAMEDEF
//! limit
//! numPlayers = 2
//! numRounds = 1
//! blind = 5 10
//! maxRaises = 3
//! firstPlayer = 1
//! numSuits = 4
//! numRanks = 13
//! numHoleCards = 2
//! numBoardCards = 0
//! END GAMEDEF
//! ```

use std::collections::BTreeMap;

use super::{Betting, Cards, MAX_PLAYERS, MAX_ROUNDS, Structure, StructureError};

/// The keys that take a value, as they are usually written.
pub const KEYS: &[&str] = &[
    "numPlayers",
    "numRounds",
    "blind",
    "raiseSize",
    "firstPlayer",
    "maxRaises",
    "stack",
    "numSuits",
    "numRanks",
    "numHoleCards",
    "numBoardCards",
    "foldWhenFree",
    "headsUpCap",
    "positions",
];

/// A text that is no structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A line is wrong.
    #[error("line {line}: {what}")]
    Line {
        /// Line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// Something is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The whole makes no sense.
    #[error(transparent)]
    Structure(#[from] StructureError),
}

/// The lines of a file by key, in lower case.
struct Entries<'a> {
    values: BTreeMap<String, (usize, Vec<&'a str>)>,
    is_limit: bool,
}

impl Structure {
    /// Reads a structure.
    ///
    /// # Errors
    /// [`ParseError`] naming the line.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let entries = Entries::read(text)?;
        let players = entries.one("numPlayers")?.ok_or(ParseError::Missing("numPlayers"))? as usize;
        let rounds = entries.one("numRounds")?.ok_or(ParseError::Missing("numRounds"))? as usize;
        entries.within("numPlayers", players, 2..=MAX_PLAYERS)?;
        entries.within("numRounds", rounds, 1..=MAX_ROUNDS)?;
        let first = entries.many("firstPlayer", rounds)?.unwrap_or_else(|| vec![1; rounds]);
        if let Some(bad) = first.iter().find(|first| !(1..=players as u32).contains(first)) {
            let what = format!("player {bad} does not exist: 1 to {players} are right");
            return Err(entries.wrong("firstPlayer", what));
        }
        let blinds = entries.many("blind", players)?.ok_or(ParseError::Missing("blind"))?;
        let cards = Cards {
            suits: entries.one("numSuits")?.unwrap_or(4),
            ranks: entries.one("numRanks")?.unwrap_or(13),
            hole: entries.one("numHoleCards")?.unwrap_or(0),
            board: entries.many("numBoardCards", rounds)?.unwrap_or_else(|| vec![0; rounds]),
        };
        let structure = Self {
            betting: entries.betting(players, rounds, &blinds)?,
            blinds,
            first: first.iter().map(|first| *first as usize - 1).collect(),
            fold_when_free: entries.yes_or_no("foldWhenFree")?,
            positions: entries.words("positions"),
            cards,
        };
        Ok(structure.validated()?)
    }
}

impl<'a> Entries<'a> {
    fn read(text: &'a str) -> Result<Self, ParseError> {
        let mut values = BTreeMap::new();
        let mut is_limit = None;
        let (mut begun, mut ended) = (false, false);
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let line = line.split('#').next().unwrap_or_default().trim();
            let wrong = |what: String| ParseError::Line { line: number, what };
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let key = key.trim().to_ascii_lowercase();
            match key.as_str() {
                "" if value.is_empty() => {}
                _ if ended => return Err(wrong("nothing may follow END GAMEDEF".to_owned())),
                "gamedef" if !begun => begun = true,
                _ if !begun => return Err(wrong("a structure begins with GAMEDEF".to_owned())),
                "end gamedef" => ended = true,
                "limit" | "nolimit" => {
                    if is_limit.replace(key == "limit").is_some() {
                        return Err(wrong("limit or nolimit is said twice".to_owned()));
                    }
                }
                known if KEYS.iter().any(|name| name.eq_ignore_ascii_case(known)) => {
                    let value: Vec<_> = value.split_whitespace().collect();
                    if value.is_empty() {
                        return Err(wrong(format!("'{known}' has no value")));
                    }
                    if values.insert(key.clone(), (number, value)).is_some() {
                        return Err(wrong(format!("'{key}' is said twice")));
                    }
                }
                unknown => {
                    let keys = KEYS.join(", ");
                    return Err(wrong(format!("unknown key '{unknown}': the keys are {keys}")));
                }
            }
        }
        if !begun {
            return Err(ParseError::Missing("GAMEDEF"));
        }
        if !ended {
            return Err(ParseError::Missing("END GAMEDEF"));
        }
        let is_limit = is_limit.ok_or(ParseError::Missing("'limit' or 'nolimit'"))?;
        Ok(Self { values, is_limit })
    }

    fn get(&self, key: &str) -> Option<&(usize, Vec<&'a str>)> {
        self.values.get(&key.to_ascii_lowercase())
    }

    fn wrong(&self, key: &str, what: String) -> ParseError {
        ParseError::Line { line: self.get(key).map_or(0, |(line, _)| *line), what }
    }

    fn within(
        &self,
        key: &str,
        value: usize,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<(), ParseError> {
        if range.contains(&value) {
            return Ok(());
        }
        let (least, most) = (range.start(), range.end());
        Err(self.wrong(key, format!("{key} {value} does not fit: {least} to {most} is right")))
    }

    fn numbers(&self, key: &str) -> Result<Option<Vec<u32>>, ParseError> {
        let Some((_, values)) = self.get(key) else { return Ok(None) };
        let number = |text: &&str| {
            text.parse::<u32>()
                .map_err(|_| self.wrong(key, format!("'{text}' is no whole number below 2^32")))
        };
        values.iter().map(number).collect::<Result<_, _>>().map(Some)
    }

    fn one(&self, key: &str) -> Result<Option<u32>, ParseError> {
        Ok(self.many(key, 1)?.map(|values| values[0]))
    }

    /// Exactly so many numbers.
    fn many(&self, key: &str, wanted: usize) -> Result<Option<Vec<u32>>, ParseError> {
        match self.numbers(key)? {
            Some(values) if values.len() != wanted => {
                let found = values.len();
                let what = format!("{key} has {found} numbers where {wanted} are needed");
                Err(self.wrong(key, what))
            }
            values => Ok(values),
        }
    }

    fn words(&self, key: &str) -> Vec<String> {
        let words = self.get(key).map(|(_, words)| words.as_slice()).unwrap_or_default();
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn yes_or_no(&self, key: &str) -> Result<bool, ParseError> {
        match self.get(key).map(|(_, words)| words.as_slice()) {
            None | Some(["no"]) => Ok(false),
            Some(["yes"]) => Ok(true),
            Some(_) => Err(self.wrong(key, format!("{key} is yes or no"))),
        }
    }

    fn betting(
        &self,
        players: usize,
        rounds: usize,
        blinds: &[u32],
    ) -> Result<Betting, ParseError> {
        let stacks = self.many("stack", players)?;
        if !self.is_limit {
            for key in ["maxRaises", "raiseSize", "headsUpCap"] {
                if self.get(key).is_some() {
                    return Err(self.wrong(key, format!("{key} does not go with nolimit")));
                }
            }
            let stacks = stacks.ok_or(ParseError::Missing("stack"))?;
            let least = stacks.iter().min().copied().unwrap_or(0);
            // Chips that the other cannot match change nothing.
            return Ok(Betting::NoLimit { stack: least });
        }
        let max_raises = self.many("maxRaises", rounds)?.ok_or(ParseError::Missing("maxRaises"))?;
        let heads_up = match self.get("headsUpCap").map(|(_, words)| words.as_slice()) {
            None | Some(["off"]) => None,
            Some(_) => self.one("headsUpCap")?,
        };
        let sizes = self.many("raiseSize", rounds)?;
        if let Some(stacks) = stacks {
            let sizes = sizes.ok_or(ParseError::Missing("raiseSize, which stacks need,"))?;
            let raises = max_raises.iter().map(|most| *most.max(&heads_up.unwrap_or(0)));
            let bets =
                sizes.iter().zip(raises).map(|(size, most)| u64::from(*size) * u64::from(most));
            let posted = blinds.iter().max().copied().unwrap_or(0);
            let needed = bets.sum::<u64>() + u64::from(posted);
            if stacks.iter().any(|stack| u64::from(*stack) < needed) {
                let what = format!(
                    "limit games are counted with stacks that last: at least {needed} chips"
                );
                return Err(self.wrong("stack", what));
            }
        }
        Ok(Betting::Limit { max_raises, heads_up })
    }
}
