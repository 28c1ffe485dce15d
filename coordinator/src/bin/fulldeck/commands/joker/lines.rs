//! One question from the command line, or many from standard input in the same words and flags.

use clap::builder::{BoolishValueParser, Resettable};
use clap::{ArgAction, Args, Command, ValueEnum};
use fulldeck_common::joker::{AnswerError, Answers, Deck, Rule};
use fulldeck_service::exit;
use serde_json::{Map, Value};

use crate::app::App;
use crate::error::CliError;
use crate::output::Answer;
use crate::questions;

/// Deck and rule, and where the questions come from.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Game {
    /// Cards of the deck: without jokers, or with one or two [default: 54]
    #[arg(long, env = "FULLDECK_DECK", value_name = "CARDS")]
    deck: Option<DeckSize>,
    /// A joker also makes the fifth of a rank: five of a kind, which beats the royal flush
    #[arg(long, env = "FULLDECK_FIVE_OF_A_KIND")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    five_of_a_kind: bool,
    /// Answer many: one question a line on standard input, in these words and flags, one JSON line each
    #[arg(long, env = "FULLDECK_STDIN")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    stdin: bool,
}

/// Sizes of decks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DeckSize {
    /// No joker
    #[value(name = "52")]
    Cards52,
    /// One joker
    #[value(name = "53")]
    Cards53,
    /// Two jokers
    #[value(name = "54")]
    Cards54,
}

impl From<DeckSize> for Deck {
    fn from(size: DeckSize) -> Self {
        match size {
            DeckSize::Cards52 => Self::Cards52,
            DeckSize::Cards53 => Self::Cards53,
            DeckSize::Cards54 => Self::Cards54,
        }
    }
}

impl Game {
    fn deck(self) -> Deck {
        self.deck.map_or(Deck::Cards54, Deck::from)
    }

    fn rule(self) -> Rule {
        if self.five_of_a_kind { Rule::Wild } else { Rule::Distinct }
    }
}

/// A question with its words and flags.
pub(super) trait Question: Args {
    fn game(&self) -> Game;
    fn answer(&self, answers: &Answers) -> Result<Map<String, Value>, AnswerError>;
    /// How the answer is printed when it is the only one.
    fn show(&self, answer: Map<String, Value>) -> Box<dyn Answer>;
}

/// Answers what the command line asks, or every line of standard input.
pub(super) fn ask<Q: Question>(asked: &Q, app: &App) -> Result<u8, CliError> {
    let mut known = Known::default();
    if !asked.game().stdin {
        let answer = asked.answer(known.answers(asked.game()))?;
        app.output.print(asked.show(answer).as_ref())?;
        return Ok(exit::OK);
    }
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    questions::answer_all(&mut input, &mut out, |words| {
        let line: Q = parse(words)?;
        let (usual, own) = (asked.game(), line.game());
        if own.stdin {
            return Err(CliError::usage("a line cannot ask for --stdin"));
        }
        let game = Game {
            deck: own.deck.or(usual.deck),
            five_of_a_kind: own.five_of_a_kind || usual.five_of_a_kind,
            stdin: false,
        };
        Ok(line.answer(known.answers(game))?)
    })
}

/// The words of a line, read as those of the command; variables do not count here.
fn parse<Q: Args>(words: &[String]) -> Result<Q, CliError> {
    let command = Command::new("line").no_binary_name(true).disable_help_flag(true);
    let command = Q::augment_args(command).mut_args(|argument| argument.env(Resettable::Reset));
    let matches = command.try_get_matches_from(words).map_err(|error| CliError::from(&error))?;
    Q::from_arg_matches(&matches).map_err(|error| CliError::from(&error))
}

/// What has been asked before is not built again.
#[derive(Default)]
struct Known(Vec<Answers>);

impl Known {
    fn answers(&mut self, game: Game) -> &Answers {
        let (deck, rule) = (game.deck(), game.rule());
        let at = self.0.iter().position(|known| (known.deck(), known.rule()) == (deck, rule));
        let at = at.unwrap_or_else(|| {
            self.0.push(Answers::new(deck, rule));
            self.0.len() - 1
        });
        &self.0[at]
    }
}

impl From<AnswerError> for CliError {
    fn from(error: AnswerError) -> Self {
        Self::usage(error.to_string())
    }
}
