//! A game against a person, line by line. What is said and shown is decided elsewhere: a session gives events.

use serde_json::{Map, Value, json};

use crate::matches::Player;

use fulldeck_job::random_below;

use crate::{Basket, Move, Position, Rule, theory, trace};

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The person.
    You,
    /// The program.
    Me,
}

impl Who {
    fn other(self) -> Self {
        match self {
            Self::You => Self::Me,
            Self::Me => Self::You,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::You => "you",
            Self::Me => "me",
        }
    }
}

/// How a session is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// The basket.
    pub basket: Basket,
    /// Who wins.
    pub rule: Rule,
    /// How the program plays.
    pub program: Player,
    /// Who begins; `None` lets the seed decide.
    pub first: Option<Who>,
    /// Seed of the program's choices.
    pub seed: u64,
    /// Say a winning move before each turn of the person.
    pub hints: bool,
    /// Show what the program looked through before each of its moves, to this depth.
    pub trace: Option<u8>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A game begins.
    Started {
        /// Who is to move.
        first: Who,
    },
    /// The rows that [`trace()`] gives.
    Trace(Vec<Vec<i8>>),
    /// A move was made.
    Moved {
        /// By whom.
        by: Who,
        /// The move.
        step: Move,
        /// Number of the move, from 1.
        turn: usize,
        /// The position after it.
        position: Position,
    },
    /// The person is to move.
    YourTurn(Position),
    /// The moves that win for the person, none if every move loses against best play.
    Hint(Vec<Move>),
    /// The last moves were taken back.
    Undone(usize),
    /// What was entered does not work.
    Refused(String),
    /// The rules were asked for.
    Rules,
    /// The basket is full.
    Over {
        /// Who placed the last ball.
        last: Who,
        /// Who has won.
        winner: Who,
        /// Who began.
        first: Who,
        /// All moves.
        moves: Vec<Move>,
    },
    /// The person leaves.
    Left,
}

/// One person, one program, game after game.
#[derive(Clone, Debug)]
pub struct Session {
    options: Options,
    first: Who,
    /// The position before each move, and the current one.
    positions: Vec<Position>,
    moves: Vec<Move>,
    games: u64,
}

impl Session {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let positions = vec![options.basket.empty()];
        Self { options, first: Who::You, positions, moves: Vec::new(), games: 0 }
    }

    /// Begins a game with moves that have been made already, alternately from who begins on.
    ///
    /// # Errors
    /// The first move that does not fit, as text.
    pub fn start(&mut self, moves: &[Move]) -> Result<Vec<Event>, String> {
        let by_seed = || match random_below(2, self.options.seed, u64::MAX - self.games) {
            0 => Who::You,
            _ => Who::Me,
        };
        self.first = self.options.first.unwrap_or_else(by_seed);
        self.games += 1;
        self.positions = vec![self.options.basket.empty()];
        self.moves.clear();
        let mut events = vec![Event::Started { first: self.first }];
        for step in moves {
            let text = self.options.basket.write_move(*step);
            events.push(self.make(*step).map_err(|error| format!("{text}: {error}"))?);
        }
        self.go_on(&mut events);
        Ok(events)
    }

    /// What the person entered, and all that follows from it.
    pub fn line(&mut self, text: &str) -> Vec<Event> {
        let text = text.trim();
        let mut events = Vec::new();
        match text.to_lowercase().as_str() {
            "" => {}
            "q" | "quit" => return vec![Event::Left],
            "?" | "rules" | "help" => events.push(Event::Rules),
            "h" | "hint" if !self.is_over() => events.push(self.hint()),
            "u" | "undo" => self.undo(&mut events),
            "n" | "new" => return self.start(&[]).unwrap_or_default(),
            _ if self.is_over() => {
                let what = "the game is over: n is a new one, u takes back, q leaves";
                events.push(Event::Refused(what.to_owned()));
            }
            _ => match self.read(text).and_then(|step| self.make(step)) {
                Ok(moved) => {
                    events.push(moved);
                    self.go_on(&mut events);
                    return events;
                }
                Err(what) => events.push(Event::Refused(what)),
            },
        }
        if !self.is_over() {
            events.push(Event::YourTurn(self.position().clone()));
        }
        events
    }

    /// The basket.
    #[must_use]
    pub fn basket(&self) -> &Basket {
        &self.options.basket
    }

    /// Who wins.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.options.rule
    }

    /// Whether the basket is full.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.options.basket.is_full(self.position())
    }

    fn position(&self) -> &Position {
        self.positions.last().expect("there is a current position")
    }

    fn mover(&self) -> Who {
        if self.moves.len().is_multiple_of(2) { self.first } else { self.first.other() }
    }

    fn read(&self, text: &str) -> Result<Move, String> {
        let read = self.options.basket.read_move(text);
        read.map_err(|error| format!("{error}; ? shows the rules"))
    }

    fn make(&mut self, step: Move) -> Result<Event, String> {
        let after = self.options.basket.after(self.position(), step);
        let position = after.map_err(|error| error.to_string())?;
        let by = self.mover();
        self.positions.push(position.clone());
        self.moves.push(step);
        Ok(Event::Moved { by, step, turn: self.moves.len(), position })
    }

    /// The program's moves, until the person is to move or the basket is full.
    fn go_on(&mut self, events: &mut Vec<Event>) {
        while !self.is_over() && self.mover() == Who::Me {
            if let Some(depth) = self.options.trace {
                events.push(Event::Trace(trace(&self.options.basket, self.position(), depth)));
            }
            let Options { basket, rule, program, seed, .. } = &self.options;
            let choices = program.choices(basket, self.position(), *rule);
            let counter = self.games << 32 | self.moves.len() as u64;
            let step = choices[random_below(choices.len(), *seed, counter)];
            events.push(self.make(step).expect("the program knows the rules"));
        }
        if self.is_over() {
            let last = self.mover().other();
            let winner = match self.options.rule {
                Rule::Normal => last,
                Rule::Misere => last.other(),
            };
            let moves = self.moves.clone();
            events.push(Event::Over { last, winner, first: self.first, moves });
        } else {
            if self.options.hints {
                events.push(self.hint());
            }
            events.push(Event::YourTurn(self.position().clone()));
        }
    }

    fn hint(&self) -> Event {
        let Options { basket, rule, .. } = &self.options;
        Event::Hint(theory::winning_moves(basket, self.position(), *rule))
    }

    /// Takes back the person's last move and what followed.
    fn undo(&mut self, events: &mut Vec<Event>) {
        let own = |moves: usize| (moves.is_multiple_of(2)) == (self.first == Who::You);
        let Some(kept) = (0..self.moves.len()).rev().find(|moves| own(*moves)) else {
            events.push(Event::Refused("there is no move of yours to take back".to_owned()));
            return;
        };
        events.push(Event::Undone(self.moves.len() - kept));
        self.moves.truncate(kept);
        self.positions.truncate(kept + 1);
    }
}

impl Event {
    /// As a JSON object; `None` for what only people need.
    #[must_use]
    pub fn json(&self, basket: &Basket) -> Option<Map<String, Value>> {
        let position = |position: &Position| {
            json!({
                "placed": position.placed(),
                "missing": basket.missing(position).collect::<Vec<_>>(),
            })
        };
        let value = match self {
            Self::Started { first } => json!({ "event": "started", "first": first.name() }),
            Self::Trace(rows) => json!({ "event": "trace", "rows": rows }),
            Self::Moved { by, step, turn, position: after } => {
                let mut moved = json!({
                    "event": "move", "turn": turn, "by": by.name(), "move": basket.write_move(*step),
                });
                if let (Value::Object(moved), Value::Object(after)) = (&mut moved, position(after))
                {
                    moved.extend(after);
                }
                moved
            }
            Self::YourTurn(_) | Self::Rules => return None,
            Self::Hint(moves) => {
                let moves: Vec<_> = moves.iter().map(|step| basket.write_move(*step)).collect();
                json!({ "event": "hint", "winning_moves": moves })
            }
            Self::Undone(moves) => json!({ "event": "undone", "moves": moves }),
            Self::Refused(what) => json!({ "event": "refused", "reason": what }),
            Self::Over { last, winner, first, moves } => json!({
                "event": "over",
                "last": last.name(),
                "winner": winner.name(),
                "first": first.name(),
                "moves": basket.write_moves(moves),
            }),
            Self::Left => json!({ "event": "left" }),
        };
        match value {
            Value::Object(fields) => Some(fields),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lookahead;

    fn session(rule: Rule, first: Who, depth: u8) -> Session {
        let basket = Basket::classic();
        let program = Player::Lookahead(Lookahead::new(basket.clone(), rule, depth).unwrap());
        let first = Some(first);
        Session::new(Options { basket, rule, program, first, seed: 1, hints: false, trace: None })
    }

    /// Plays the first hint, or the first move, until the game is over; who has won.
    fn play_well(session: &mut Session) -> Who {
        let mut events = session.start(&[]).unwrap();
        loop {
            if let Some(Event::Over { winner, .. }) = events.last() {
                return *winner;
            }
            let Some(Event::Hint(moves)) = session.line("h").into_iter().next() else {
                panic!("a hint is given")
            };
            let any = session.basket().moves(session.position()).next().unwrap();
            let step = session.basket().write_move(*moves.first().unwrap_or(&any));
            events = session.line(&step);
        }
    }

    #[test]
    fn who_begins_wins_a_perfect_game() {
        for rule in [Rule::Normal, Rule::Misere] {
            assert_eq!(play_well(&mut session(rule, Who::You, 9)), Who::You);
            assert_eq!(play_well(&mut session(rule, Who::Me, 9)), Who::Me);
        }
    }

    #[test]
    fn a_wrong_entry_changes_nothing_and_says_why() {
        let mut session = session(Rule::Normal, Who::You, 3);
        session.start(&[]).unwrap();
        let before = session.position().clone();
        for (line, part) in [
            ("r4", "only 3 red places are free"),
            ("r0", "at least one ball"),
            ("yellow 1", "no colour"),
            ("hello", "no move"),
            ("u", "no move of yours"),
        ] {
            let events = session.line(line);
            assert!(
                matches!(&events[0], Event::Refused(what) if what.contains(part)),
                "{events:?}"
            );
            assert_eq!(events[1], Event::YourTurn(before.clone()));
        }
        assert_eq!(session.line("  "), [Event::YourTurn(before)]);
        assert_eq!(session.line("q"), [Event::Left]);
    }

    #[test]
    fn undo_takes_back_a_full_turn_even_at_the_end() {
        let mut session = session(Rule::Normal, Who::Me, 7);
        session.start(&[]).unwrap();
        let before = session.position().clone();
        let step = session.basket().moves(&before).next().unwrap();
        session.line(&session.basket().write_move(step));
        assert_eq!(session.moves.len(), 3);
        assert!(matches!(session.line("u")[0], Event::Undone(2)));
        assert_eq!(*session.position(), before);
        play_well(&mut session);
        assert!(session.is_over());
        assert!(matches!(session.line("r1")[0], Event::Refused(_)));
        assert!(matches!(session.line("u").last(), Some(Event::YourTurn(_))));
        assert!(!session.is_over());
    }

    #[test]
    fn moves_can_be_replayed() {
        let mut first = session(Rule::Normal, Who::You, 3);
        first.start(&[]).unwrap();
        first.line("r1");
        let moves = first.moves.clone();
        let mut second = session(Rule::Normal, Who::You, 3);
        second.start(&moves).unwrap();
        assert_eq!(second.position(), first.position());
        let impossible = second.basket().read_moves("red+3 red+1").unwrap();
        let error = second.start(&impossible).unwrap_err();
        assert_eq!(error, "red+1: only 0 red places are free");
    }
}
