//! `fulldeck basket play`

use std::io::{BufRead, IsTerminal, Read, Write};

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, ValueEnum};
use fulldeck_common::basket::session::{Event, Options, Who};
use fulldeck_common::basket::{MAX_DEPTH, Picture, Session};
use fulldeck_service::exit;
use serde_json::Value;

use super::shape::{Level, RuleFlag, Shape, wrong};
use crate::app::App;
use crate::error::CliError;
use crate::output::{Format, versioned};

/// Longest line a person enters, in bytes.
const MAX_LINE_BYTES: u64 = 4096;

/// Flags of `basket play`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    /// How well the program plays: moves it looks ahead, perfect, or random
    #[arg(short, long, env = "FULLDECK_DEPTH", value_name = "1..9|perfect|random")]
    #[arg(default_value = "5")]
    depth: Level,
    /// Who begins: me (the person), you (the program), or random
    #[arg(long, env = "FULLDECK_FIRST", value_name = "WHO", default_value = "me")]
    first: First,
    #[command(flatten)]
    rule: RuleFlag,
    #[command(flatten)]
    shape: Shape,
    /// Seed of the program's choices [default: another one each time]
    #[arg(long, env = "FULLDECK_SEED", value_name = "N")]
    seed: Option<u64>,
    /// Say the winning moves before each turn
    #[arg(long, env = "FULLDECK_HINT")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    hint: bool,
    /// Show what the program looked through before it moves
    #[arg(long, env = "FULLDECK_TRACE")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    trace: bool,
    /// Moves made already, e.g. "red+1 blue+3", alternately from who begins
    #[arg(long, env = "FULLDECK_MOVES", value_name = "MOVES", default_value = "")]
    moves: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum First {
    Me,
    You,
    Random,
}

impl Arguments {
    fn session(&self, seed: u64) -> Result<Session, CliError> {
        let (basket, rule) = (self.shape.basket()?, self.rule.rule());
        let program = self.depth.player(&basket, rule)?;
        let first = match self.first {
            First::Me => Some(Who::You),
            First::You => Some(Who::Me),
            First::Random => None,
        };
        let seen = match self.depth {
            Level::Depth(depth) => depth,
            Level::Perfect | Level::Random => MAX_DEPTH,
        };
        let trace = self.trace.then_some(seen);
        Ok(Session::new(Options { basket, rule, program, first, seed, hints: self.hint, trace }))
    }
}

pub(super) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let seed = match arguments.seed {
        Some(seed) => seed,
        None => getrandom::u64()
            .map_err(|error| CliError::unexpected(format!("no random numbers: {error}")))?,
    };
    let mut session = arguments.session(seed)?;
    let moves = session.basket().read_moves(&arguments.moves).map_err(wrong)?;
    let mut table = Table {
        out: std::io::stdout().lock(),
        format: app.output.format,
        colour: app.output.style.colour,
        prompts: std::io::stdin().is_terminal(),
        seed,
    };
    let events = session.start(&moves).map_err(wrong)?;
    table.show(&session, &events)?;
    let mut input = std::io::stdin().lock();
    loop {
        table.prompt()?;
        let mut line = Vec::new();
        let read = (&mut input).take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|error| wrong(format!("cannot read standard input: {error}")))? == 0 {
            return Ok(exit::OK);
        }
        let events = session.line(&String::from_utf8_lossy(&line));
        table.show(&session, &events)?;
        if events.contains(&Event::Left) {
            return Ok(exit::OK);
        }
    }
}

/// Where the person looks.
struct Table<W> {
    out: W,
    format: Format,
    colour: bool,
    prompts: bool,
    seed: u64,
}

impl<W: Write> Table<W> {
    fn show(&mut self, session: &Session, events: &[Event]) -> Result<(), CliError> {
        let basket = session.basket();
        let picture = Picture { basket, rule: session.rule(), colour: self.colour };
        for event in events {
            match self.format {
                Format::Json | Format::Jsonl => {
                    if let Some(fields) = event.json(basket) {
                        writeln!(self.out, "{}", Value::Object(versioned(fields)))?;
                    }
                }
                Format::Id => {
                    if let Event::Moved { step, .. } = event {
                        writeln!(self.out, "{}", basket.write_move(*step))?;
                    }
                }
                Format::Table | Format::Wide => {
                    self.out.write_all(picture.event(event).as_bytes())?;
                    if let Event::Over { first, moves, .. } = event {
                        let first = if *first == Who::You { "me" } else { "you" };
                        let moves = basket.write_moves(moves);
                        let seed = self.seed;
                        writeln!(self.out, "Again: --first {first}\n  --seed {seed}")?;
                        writeln!(self.out, "  --moves \"{}\"", moves.replace(' ', "\n    "))?;
                    }
                }
            }
        }
        Ok(self.out.flush()?)
    }

    fn prompt(&mut self) -> Result<(), CliError> {
        if self.prompts && matches!(self.format, Format::Table | Format::Wide) {
            self.out.write_all(b"> ")?;
            self.out.flush()?;
        }
        Ok(())
    }
}
