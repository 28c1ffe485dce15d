//! `fulldeck solve pushfold`

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::{Args, Subcommand};
use fulldeck_artifact::{DirectorySource, Manifest};
use fulldeck_common::omaha::pushfold::{
    Certificate, Limits, Payoffs, PushFoldError, Solution, Stakes, Strategies, certify, pictures,
    solve,
};
use fulldeck_job::ComputeContext;
use fulldeck_job::picture::Picture;
use fulldeck_service::{exit, host};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::{DataDir, Part};
use crate::error::CliError;
use crate::output::table::{columns, pairs};
use crate::output::units::{duration, grouped};
use crate::output::{Answer, Style, object};
use crate::pictures::{PictureFile, source_of};
use crate::progress::Activity;
use crate::{artifacts, strategy_files};

/// Most stacks of one call.
const MAX_STACKS: usize = 1_000;
/// A hand is mixed when it does neither action less often than this.
const MIXED: f64 = 0.001;
/// Share of the memory that the matrix may take.
const USABLE_SHARE: f64 = 0.8;

/// Flags of `solve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck solve pushfold --stack 10")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    game: Game,
}

#[derive(Debug, Subcommand)]
enum Game {
    /// Heads-up: the small blind pushes or folds, the big blind calls or folds
    #[command(
        after_help = "Examples:\n  fulldeck solve pushfold --stack 10\n  fulldeck solve pushfold --stacks 2..25 -o jsonl\n  fulldeck solve pushfold --stack 10 --out strategies\n  fulldeck solve pushfold --stacks 2..25 --plot sweep.png"
    )]
    Pushfold(Pushfold),
}

#[derive(Debug, Args)]
struct Pushfold {
    /// The run: its number, 'last', a fingerprint prefix, or the folder of an artifact
    #[arg(long, env = "FULLDECK_RUN", value_name = "RUN", default_value = "last")]
    run: String,
    /// Stacks in big blinds, before the blinds are posted: 10, or 2,5,10, or 2..25, or 2..25:0.5
    #[arg(long, visible_alias = "stacks", env = "FULLDECK_STACK", value_name = "BB")]
    stack: Stacks,
    /// Small blind, in big blinds
    #[arg(long, visible_alias = "sb", env = "FULLDECK_SMALL_BLIND", value_name = "BB")]
    #[arg(default_value_t = 0.5)]
    small_blind: f64,
    /// Ante that each player puts in before the cards are dealt, in big blinds
    #[arg(long, env = "FULLDECK_ANTE", value_name = "BB", default_value_t = 0.0)]
    ante: f64,
    /// What both players together may still gain by playing better, in big blinds a hand
    #[arg(long, env = "FULLDECK_TARGET", value_name = "BB", default_value_t = 1e-5)]
    target: f64,
    /// Passes over the matrix at most, for each stack
    #[arg(long, env = "FULLDECK_STEPS", value_name = "N", default_value_t = 5_000)]
    steps: u32,
    /// Folder for the strategies of each stack: pushfold-10.csv, pushfold-10.push.npy, pushfold-10.call.npy
    #[arg(long, env = "FULLDECK_OUT", value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// A picture, .png or .svg: of one stack what is pushed and called, of several how that changes
    #[arg(long, env = "FULLDECK_PLOT", value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Computing threads [default: all this process may use]
    #[arg(long, env = "FULLDECK_THREADS", value_name = "N")]
    #[arg(value_parser = fulldeck_worker::thread_count)]
    threads: Option<usize>,
    #[command(flatten)]
    data: DataDir,
}

/// Some stacks, as given on the command line.
#[derive(Clone, Debug, PartialEq)]
struct Stacks(Vec<f64>);

impl FromStr for Stacks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let parsed = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            parsed.ok_or_else(|| format!("'{text}' is no number"))
        };
        let mut stacks = Vec::new();
        for word in text.split(',') {
            let Some((from, to)) = word.split_once("..") else {
                stacks.push(number(word)?);
                continue;
            };
            let (to, step) = match to.split_once(':') {
                Some((to, step)) => (number(to)?, number(step)?),
                None => (number(to)?, 1.0),
            };
            let from = number(from)?;
            let count = ((to - from) / step + 1e-9).floor();
            if step <= 0.0 || count < 0.0 || count >= MAX_STACKS as f64 {
                return Err(format!(
                    "'{word}' is no range of at most {MAX_STACKS} stacks: 2..25 or 2..25:0.5 is right"
                ));
            }
            stacks.extend((0..=count as usize).map(|at| from + at as f64 * step));
        }
        match stacks.len() {
            0..=MAX_STACKS => Ok(Self(stacks)),
            more => Err(format!("{more} stacks are more than {MAX_STACKS}")),
        }
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    let Game::Pushfold(asked) = &arguments.game;
    let stakes = asked
        .stack
        .0
        .iter()
        .map(|stack| Stakes::new(*stack, asked.small_blind, asked.ante))
        .collect::<Result<Vec<_>, _>>()?;
    if !(asked.target > 0.0 && asked.target.is_finite()) {
        return Err(CliError::usage(format!("a target of {} is none", asked.target))
            .hint("a number of big blinds above 0, e.g. 1e-4"));
    }
    let file = asked.plot.as_deref().map(PictureFile::at).transpose()?;
    let (source, _) = artifacts::open(app, &asked.data, &asked.run, &Part { only: None })?;
    let cards = hole_cards(source.manifest())?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(asked.threads.unwrap_or_else(host::available_threads))
        .thread_name(|number| format!("solve-{number}"))
        .build()
        .map_err(|error| CliError::unexpected(format!("cannot start threads: {error}")))?;
    let (payoffs, solved) =
        pool.install(|| Table { asked, app, source: &source, cards }.solve(&stakes))?;
    if let Some(out) = &asked.out {
        write(out, cards, &solved)?;
    }
    if let Some(file) = file {
        let mut picture = draw(asked, cards, &payoffs, &solved);
        picture.source = source_of(app, source.manifest());
        file.write(&picture)?;
    }
    app.output.print(&Answered { manifest: source.manifest(), cards, solved })?;
    Ok(exit::OK)
}

/// Hole cards of the run; any other workload is refused.
pub(crate) fn hole_cards(manifest: &Manifest) -> Result<usize, CliError> {
    let cards = manifest.facts.get("cards").and_then(Value::as_u64);
    match cards {
        Some(cards) if manifest.workload == "omaha" => Ok(cards as usize),
        _ => Err(CliError::usage(format!(
            "run {} is of the workload {}; push or fold needs a matrix of omaha",
            manifest.provenance.run, manifest.workload
        ))),
    }
}

struct Table<'a> {
    asked: &'a Pushfold,
    app: &'a App,
    source: &'a DirectorySource,
    cards: usize,
}

/// One stack, solved.
struct Solved {
    stakes: Stakes,
    solution: Solution,
    certificate: Certificate,
    orbits: Vec<f64>,
    seconds: f64,
}

impl Table<'_> {
    /// Solves one stack after the other, each from the solution of the one before.
    fn solve(&self, stakes: &[Stakes]) -> Result<(Payoffs, Vec<Solved>), CliError> {
        let cancel = AtomicBool::new(false);
        let usable = host::usable_memory().unwrap_or(u64::MAX) as f64 * USABLE_SHARE;
        let cells = self.source.manifest().facts.get("cells").and_then(Value::as_u64).unwrap_or(0);
        let activity = Activity::of(self.app, "loading the matrix", cells);
        let progress = |done: u64| activity.add(done);
        let context = ComputeContext { cancel: &cancel, progress: &progress };
        let payoffs =
            Payoffs::load(self.source, self.cards, self.app.backend, usable as u64, &context)?;
        activity.clear();
        let limits = Limits { gain: self.asked.target, steps: self.asked.steps };
        let activity = Activity::of(self.app, "solving", stakes.len() as u64);
        let quiet = ComputeContext { cancel: &cancel, progress: &|_| () };
        let mut solved: Vec<Solved> = Vec::with_capacity(stakes.len());
        for stakes in stakes {
            let started = Instant::now();
            let start = solved.last().map(|last| &last.solution);
            let solution = solve(&payoffs, stakes, &limits, start, &quiet)?;
            let strategies = &solution.strategies;
            let certificate = certify(&payoffs, self.source, stakes, strategies, &quiet)?;
            let seconds = started.elapsed().as_secs_f64();
            let orbits = payoffs.orbits();
            solved.push(Solved { stakes: *stakes, solution, certificate, orbits, seconds });
            activity.add(1);
        }
        activity.clear();
        Ok((payoffs, solved))
    }
}

fn write(out: &Path, cards: usize, solved: &[Solved]) -> Result<(), CliError> {
    for one in solved {
        let name = format!("pushfold-{}", one.stakes.stack());
        strategy_files::write(out, &name, cards, &one.solution.strategies)?;
    }
    Ok(())
}

/// One stack in detail, or several at a glance.
fn draw(asked: &Pushfold, cards: usize, payoffs: &Payoffs, solved: &[Solved]) -> Picture {
    if let [one] = solved {
        return pictures::one_stack(payoffs, &one.stakes, &one.solution.strategies);
    }
    let points = solved.iter().map(|one| pictures::Solved {
        stack: one.stakes.stack(),
        value: one.certificate.value,
        push_percent: one.push_percent(),
        call_percent: one.call_percent(),
    });
    let mut points: Vec<_> = points.collect();
    points.sort_by(|a, b| a.stack.total_cmp(&b.stack));
    pictures::sweep(cards, asked.small_blind, asked.ante, &points)
}

impl Solved {
    fn percent(&self, shares: &[f64]) -> f64 {
        let played = |(share, orbit): (&f64, &f64)| share * orbit;
        let hands: f64 = self.orbits.iter().sum();
        100.0 * shares.iter().zip(&self.orbits).map(played).sum::<f64>() / hands
    }

    fn push_percent(&self) -> f64 {
        self.percent(&self.solution.strategies.push)
    }

    fn call_percent(&self) -> f64 {
        self.percent(&self.solution.strategies.call)
    }

    fn mixed(shares: &[f64]) -> usize {
        shares.iter().filter(|share| **share >= MIXED && **share <= 1.0 - MIXED).count()
    }

    fn fields(&self) -> Map<String, Value> {
        let Strategies { push, call } = &self.solution.strategies;
        object(json!({
            "stack": self.stakes.stack(),
            "small_blind": self.stakes.small_blind(),
            "ante": self.stakes.ante(),
            "value": self.certificate.value,
            "exploitability": self.certificate.exploitability(),
            "small_blind_gain": self.certificate.small_blind_gain,
            "big_blind_gain": self.certificate.big_blind_gain,
            "push_percent": self.push_percent(),
            "call_percent": self.call_percent(),
            "mixed_push": Self::mixed(push),
            "mixed_call": Self::mixed(call),
            "steps": self.solution.steps,
            "seconds": self.seconds,
        }))
    }
}

struct Answered<'a> {
    manifest: &'a Manifest,
    cards: usize,
    solved: Vec<Solved>,
}

impl Answer for Answered<'_> {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "run": self.manifest.provenance.run,
            "fingerprint": self.manifest.fingerprint.to_string(),
            "artifact_digest": self.manifest.artifact_digest.to_string(),
            "cards": self.cards,
            "solutions": self.lines(),
        }))
    }

    fn lines(&self) -> Vec<Map<String, Value>> {
        self.solved.iter().map(Solved::fields).collect()
    }

    fn ids(&self) -> Vec<String> {
        self.solved.iter().map(|one| one.certificate.value.to_string()).collect()
    }

    fn table(&self, style: Style) -> String {
        if let [one] = &self.solved[..] {
            let Strategies { push, call } = &one.solution.strategies;
            let clusters = grouped(push.len() as u64);
            return pairs(
                style,
                &[
                    ("game", format!("heads-up, {} hole cards, {clusters} clusters", self.cards)),
                    (
                        "stakes",
                        format!(
                            "stack {}, blinds {} and 1, ante {}",
                            one.stakes.stack(),
                            one.stakes.small_blind(),
                            one.stakes.ante()
                        ),
                    ),
                    (
                        "value",
                        format!(
                            "{:+.6} big blinds a hand for the small blind",
                            one.certificate.value
                        ),
                    ),
                    (
                        "exploitability",
                        format!(
                            "{:.2e} big blinds a hand, both players together",
                            one.certificate.exploitability()
                        ),
                    ),
                    (
                        "push",
                        format!(
                            "{:.3} %, {} clusters mixed",
                            one.push_percent(),
                            Solved::mixed(push)
                        ),
                    ),
                    (
                        "call",
                        format!(
                            "{:.3} %, {} clusters mixed",
                            one.call_percent(),
                            Solved::mixed(call)
                        ),
                    ),
                    (
                        "solved",
                        format!("in {} steps, {}", one.solution.steps, duration(one.seconds)),
                    ),
                ],
            );
        }
        let rows = self
            .solved
            .iter()
            .map(|one| {
                vec![
                    one.stakes.stack().to_string(),
                    format!("{:+.6}", one.certificate.value),
                    format!("{:.2e}", one.certificate.exploitability()),
                    format!("{:.3}", one.push_percent()),
                    format!("{:.3}", one.call_percent()),
                    one.solution.steps.to_string(),
                ]
            })
            .collect();
        columns(style, &["stack", "value", "exploitability", "push %", "call %", "steps"], rows)
    }
}

impl From<PushFoldError> for CliError {
    fn from(error: PushFoldError) -> Self {
        match error {
            PushFoldError::Artifact(error) => error.into(),
            PushFoldError::NotReached { .. } => Self::timed_out(error.to_string()),
            PushFoldError::Stakes(_) | PushFoldError::TooLarge { .. } => {
                Self::usage(error.to_string())
            }
            PushFoldError::Cancelled => Self::unexpected(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_numbers_lists_and_ranges() {
        let stacks = |text: &str| text.parse::<Stacks>().map(|stacks| stacks.0);
        assert_eq!(stacks("10").unwrap(), [10.0]);
        assert_eq!(stacks("2, 5,10").unwrap(), [2.0, 5.0, 10.0]);
        assert_eq!(stacks("2..4").unwrap(), [2.0, 3.0, 4.0]);
        assert_eq!(stacks("2..3:0.25").unwrap(), [2.0, 2.25, 2.5, 2.75, 3.0]);
        for bad in ["", "ten", "5..2", "2..3:0", "2..3:-1", "0..100000", "1..", "inf", "2..nan"] {
            assert!(stacks(bad).is_err(), "{bad}");
        }
    }
}
