//! What a person sees: lines of at most 40 columns, in words and letters; colour only adds to them.

use crate::session::{Event, Who};
use crate::{Basket, Position, Rule};

/// Longest line, in columns.
const WIDTH: usize = 40;
/// Most balls of a colour that are drawn one by one.
const DRAWN: u32 = 9;
/// Escape sequences of red, blue and green.
const COLOURS: [&str; 3] = ["\u{1b}[31m", "\u{1b}[34m", "\u{1b}[32m"];
const PLAIN: &str = "\u{1b}[0m";

/// How a game is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The basket.
    pub basket: &'a Basket,
    /// Who wins.
    pub rule: Rule,
    /// Whether names are coloured.
    pub colour: bool,
}

impl Picture<'_> {
    /// One line a colour: name, filled and empty places, and how many are missing.
    #[must_use]
    pub fn board(&self, position: &Position) -> String {
        let names: Vec<_> = (0..self.basket.colours()).map(|c| self.basket.name(c)).collect();
        let width = names.iter().map(String::len).max().unwrap_or(0);
        let mut text = String::new();
        for (colour, (placed, missing)) in
            position.placed().iter().zip(self.basket.missing(position)).enumerate()
        {
            let name = self.coloured(colour, &format!("{:width$}", names[colour]));
            let places = self.basket.capacities()[colour];
            let balls = if places <= DRAWN {
                let place = |ball| if ball < *placed { " o" } else { " ." };
                (0..places).map(place).collect()
            } else {
                format!(" {placed} of {places}")
            };
            text.push_str(&format!("{name} {balls}   {missing} missing\n"));
        }
        text
    }

    fn coloured(&self, colour: usize, name: &str) -> String {
        match COLOURS.get(colour) {
            Some(escape) if self.colour && self.basket.colours() <= COLOURS.len() => {
                format!("{escape}{name}{PLAIN}")
            }
            _ => name.to_owned(),
        }
    }

    /// An event in words; empty for what needs none.
    #[must_use]
    pub fn event(&self, event: &Event) -> String {
        match event {
            Event::Started { first: Who::You } => wrap("You begin. ? shows the rules."),
            Event::Started { first: Who::Me } => wrap("I begin. ? shows the rules."),
            Event::Trace(rows) => self.array(rows),
            Event::Moved { by, step, .. } => {
                let who = if *by == Who::You { "You" } else { "I" };
                wrap(&format!("{who} put {} {}.", step.balls, self.basket.name(step.colour)))
            }
            Event::YourTurn(position) => format!("\n{}", self.board(position)),
            Event::Hint(moves) if moves.is_empty() => {
                wrap("No winning move: any move loses against best play.")
            }
            Event::Hint(moves) => wrap(&format!("Winning: {}", self.basket.write_moves(moves))),
            Event::Undone(1) => wrap("One move taken back."),
            Event::Undone(moves) => wrap(&format!("{moves} moves taken back.")),
            Event::Refused(what) => wrap(&format!("No: {what}.")),
            Event::Rules => self.rules(),
            Event::Over { last, winner, moves, .. } => {
                let last = if *last == Who::You { "You" } else { "I" };
                let winner = if *winner == Who::You { "You win." } else { "I win." };
                let rule = match self.rule {
                    Rule::Normal => "the last ball wins",
                    Rule::Misere => "the last ball loses",
                };
                let end = wrap(&format!("{last} placed the last ball, and {rule}. {winner}"));
                format!("\n{end}{}", wrap(&format!("Moves: {}", self.basket.write_moves(moves))))
            }
            Event::Left => String::new(),
        }
    }

    fn rules(&self) -> String {
        let last = match self.rule {
            Rule::Normal => "wins",
            Rule::Misere => "loses",
        };
        let name = self.basket.name(0);
        let short = if self.basket.colours() <= 3 { &name[..1] } else { &name };
        let lines = [
            "We take turns. A move puts one or more balls of one colour into the basket."
                .to_owned(),
            format!("Whoever places the last ball {last}."),
            format!("A move: {short}+2, {name} 2, 2 {name}."),
            "h hint, u undo, n new game, q leave.".to_owned(),
        ];
        lines.iter().map(|line| wrap(line)).collect()
    }

    /// The rows of a trace under a line that says what they are.
    fn array(&self, rows: &[Vec<i8>]) -> String {
        let mut text = wrap(
            "What I looked through (row 1: 1 fills the basket, -127 impossible; row k: 1 if some play fills it so at \
             move k):",
        );
        for (ply, row) in rows.iter().enumerate() {
            let mut cells = row.iter();
            for (colour, places) in self.basket.capacities().iter().enumerate() {
                let part: Vec<_> = cells
                    .by_ref()
                    .take(*places as usize)
                    .map(|cell| format!("{cell:>4}"))
                    .collect();
                for (line, part) in part.chunks(6).enumerate() {
                    let head = match (colour, line) {
                        (0, 0) => format!("{}", ply + 1),
                        _ => String::new(),
                    };
                    let name = if line == 0 { self.basket.name(colour) } else { String::new() };
                    text.push_str(&format!("{head:2} {name:6}{}\n", part.concat()));
                }
            }
        }
        text
    }
}

/// Words in lines of at most [`WIDTH`] columns.
fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += len;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Move;
    use crate::trace;

    fn picture(basket: &Basket, colour: bool) -> Picture<'_> {
        Picture { basket, rule: Rule::Normal, colour }
    }

    #[test]
    fn the_basket_is_drawn_with_names_and_numbers() {
        let basket = Basket::classic();
        let position = basket.position(vec![2, 0, 3]).unwrap();
        assert_eq!(
            picture(&basket, false).board(&position),
            "red    o o .   1 missing\nblue   . . .   3 missing\ngreen  o o o   0 missing\n"
        );
        let coloured = picture(&basket, true).board(&position);
        assert!(coloured.starts_with("\u{1b}[31mred  \u{1b}[0m  o o ."));
    }

    #[test]
    fn nothing_is_wider_than_forty_columns() {
        for (colours, balls) in [(3, 3), (1, 9), (12, 9), (2, 40)] {
            let basket = Basket::even(colours, balls).unwrap();
            let empty = basket.empty();
            let step = Move { colour: 0, balls: 1 };
            let moves = vec![step; 60];
            let events = [
                Event::Started { first: Who::Me },
                Event::Trace(trace(
                    &basket,
                    &basket.position_at(basket.positions().unwrap() - 2),
                    3,
                )),
                Event::Moved { by: Who::Me, step, turn: 1, position: empty.clone() },
                Event::YourTurn(empty.clone()),
                Event::Hint(moves.clone()),
                Event::Hint(Vec::new()),
                Event::Undone(2),
                Event::Refused(basket.read_move("what is this").unwrap_err().to_string()),
                Event::Rules,
                Event::Over { last: Who::Me, winner: Who::Me, first: Who::You, moves },
            ];
            for event in events {
                let text = picture(&basket, false).event(&event);
                assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
                assert!(!text.contains('\u{1b}'));
            }
        }
    }
}
