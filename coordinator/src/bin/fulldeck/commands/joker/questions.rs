//! The words and flags of each question.

use clap::{Args, ValueEnum};
use fulldeck_common::joker::{AnswerError, Answers, Weighting};
use serde_json::{Map, Value};

use super::lines::{DeckSize, Game, Question};
use super::show::{Chart, Sizes};
use crate::commands::query::Record;
use crate::output::Answer;

type Found = Result<Map<String, Value>, AnswerError>;

/// `joker best CARDS`
#[derive(Debug, Args)]
pub(super) struct Best {
    /// Five to seven cards, e.g. 'As Td 9h 5c *1', in one word or several; * is the next free joker
    #[arg(value_name = "CARDS", required_unless_present = "stdin", conflicts_with = "stdin")]
    cards: Vec<String>,
    #[command(flatten)]
    game: Game,
}

impl Question for Best {
    fn game(&self) -> Game {
        self.game
    }

    fn answer(&self, answers: &Answers) -> Found {
        answers.best(&self.cards.join(" "))
    }

    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer> {
        Box::new(Record(answer))
    }
}

/// `joker compare A B`
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// First hand, in one word or in quotes
    #[arg(value_name = "A", required_unless_present = "stdin", conflicts_with = "stdin")]
    a: Option<String>,
    /// Second hand
    #[arg(value_name = "B", required_unless_present = "stdin", conflicts_with = "stdin")]
    b: Option<String>,
    #[command(flatten)]
    game: Game,
}

impl Question for Compare {
    fn game(&self) -> Game {
        self.game
    }

    fn answer(&self, answers: &Answers) -> Found {
        answers
            .compare(self.a.as_deref().unwrap_or_default(), self.b.as_deref().unwrap_or_default())
    }

    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer> {
        Box::new(Record(answer))
    }
}

/// Weights of the means of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Means {
    /// Every hand once
    Plain,
    /// Hands with both jokers half, as its first program had it
    Original,
}

/// `joker odds HOLE`
#[derive(Debug, Args)]
pub(super) struct OddsOf {
    /// Two hole cards, e.g. 'As *', in one word or in quotes
    #[arg(value_name = "HOLE", required_unless_present = "stdin", conflicts_with = "stdin")]
    hole: Option<String>,
    /// Board so far: none to five cards
    #[arg(long, env = "FULLDECK_BOARD", value_name = "CARDS")]
    board: Option<String>,
    /// The opponent's two cards [default: any]
    #[arg(long, env = "FULLDECK_AGAINST", value_name = "HOLE")]
    against: Option<String>,
    /// Show a well-known estimate beside the exact odds, for comparison
    #[arg(long, env = "FULLDECK_ESTIMATE", value_name = "MEANS")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "plain")]
    estimate: Option<Means>,
    #[command(flatten)]
    game: Game,
}

impl Question for OddsOf {
    fn game(&self) -> Game {
        self.game
    }

    fn answer(&self, answers: &Answers) -> Found {
        let weighting = self.estimate.map(|means| match means {
            Means::Plain => Weighting::Plain,
            Means::Original => Weighting::Original,
        });
        answers.odds(
            self.hole.as_deref().unwrap_or_default(),
            self.board.as_deref().unwrap_or_default(),
            self.against.as_deref(),
            weighting,
        )
    }

    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer> {
        Box::new(Record(answer))
    }
}

/// `joker preflop [CLASS]`
#[derive(Debug, Args)]
pub(super) struct Preflop {
    /// One class, like AKs, TT, A* or **, or a hole [default: all]
    #[arg(value_name = "CLASS", conflicts_with_all = ["stdin", "minus"])]
    class: Option<String>,
    /// Also show the equities less those of another deck under the same rule
    #[arg(long, env = "FULLDECK_MINUS", value_name = "DECK")]
    minus: Option<DeckSize>,
    #[command(flatten)]
    game: Game,
}

impl Question for Preflop {
    fn game(&self) -> Game {
        self.game
    }

    fn answer(&self, answers: &Answers) -> Found {
        match &self.class {
            Some(class) => answers.preflop(class),
            None => Ok(answers.all_preflop(self.minus.map(Into::into))),
        }
    }

    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer> {
        match self.class {
            Some(_) => Box::new(Record(answer)),
            None => Box::new(Chart(answer)),
        }
    }
}

/// `joker frequencies`
#[derive(Debug, Args)]
pub(super) struct Frequencies {
    /// Size of the hands: 5, 6 or 7 [default: all three]
    #[arg(long, env = "FULLDECK_CARDS", value_name = "N")]
    cards: Option<usize>,
    #[command(flatten)]
    game: Game,
}

impl Question for Frequencies {
    fn game(&self) -> Game {
        self.game
    }

    fn answer(&self, answers: &Answers) -> Found {
        if let Some(cards) = self.cards {
            return answers.frequencies(cards);
        }
        let sizes = (5..=7).map(|cards| answers.frequencies(cards).map(Value::Object));
        let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
        Ok([("sizes".to_owned(), Value::Array(sizes))].into_iter().collect())
    }

    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer> {
        match self.cards {
            Some(_) => Box::new(Record(answer)),
            None => Box::new(Sizes(answer)),
        }
    }
}

/// `joker convert CARDS`
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// Cards in any form, or a decimal key, in one word or several
    #[arg(value_name = "CARDS", required_unless_present = "stdin", conflicts_with = "stdin")]
    cards: Vec<String>,
    #[command(flatten)]
    game: Game,
}

impl Question for Convert {
    fn game(&self) -> Game {
        self.game
    }

    fn answer(&self, answers: &Answers) -> Found {
        answers.convert(&self.cards.join(" "))
    }

    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer> {
        Box::new(Record(answer))
    }
}
