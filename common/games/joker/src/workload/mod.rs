//! The workload `joker`: exact tables, frequencies, a plain check of the tables, and the error of the known estimate.

mod check;
mod estimate_error;
mod frequencies;
mod payload;
mod question;
mod slices;
mod tables;

use std::sync::{Arc, OnceLock};

use fulldeck_job::{
    Computation, ParameterKind, ParameterSpec, Parameters, Workload, WorkloadError,
};

use crate::{Deck, Evaluator, Rule};
use check::CheckRun;
use estimate_error::EstimateErrorRun;
use frequencies::FrequenciesRun;
use tables::TableRun;

/// The workload `joker`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Joker;

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec {
        name: "task",
        summary: "table: odds of every hole on every board, seconds of work; frequencies: every hand dealt; check: starting \
                  hands by plain enumeration, an hour; estimate-error: a known estimate against the exact odds",
        default: "table",
        kind: ParameterKind::Choice(&["table", "frequencies", "check", "estimate-error"]),
    },
    ParameterSpec {
        name: "deck",
        summary: "cards of the deck: 52, or with one or two jokers 53 or 54",
        default: "54",
        kind: ParameterKind::Choice(&["52", "53", "54"]),
    },
    ParameterSpec {
        name: "rule",
        summary: "what a joker may become: distinct (a card its owner lacks), or wild (also the fifth of a rank)",
        default: "distinct",
        kind: ParameterKind::Choice(&["distinct", "wild"]),
    },
    ParameterSpec {
        name: "stage",
        summary: "board cards: of the last stage that the table keeps, or of the deals of estimate-error (2 at least)",
        default: "5",
        kind: ParameterKind::Integer { min: 0, max: 5 },
    },
    ParameterSpec {
        name: "deals",
        summary: "random deals of estimate-error; 0 elsewhere",
        default: "0",
        kind: ParameterKind::Integer { min: 0, max: 10_000_000 },
    },
    ParameterSpec {
        name: "seed",
        summary: "chooses the deals of estimate-error; 0 elsewhere",
        default: "0",
        kind: ParameterKind::Integer { min: 0, max: u64::MAX },
    },
];

/// Deals of `estimate-error` when none are asked for.
const USUAL_DEALS: u32 = 10_000;

impl Workload for Joker {
    fn name(&self) -> &'static str {
        "joker"
    }

    fn summary(&self) -> &'static str {
        "exact odds of hold'em with up to two jokers: every hole on every board"
    }

    fn algorithm_version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        let game = Arc::new(Game::of(parameters)?);
        let task = parameters.text("task");
        let (stage, deals, seed) = (
            parameters.integer("stage") as usize,
            parameters.integer("deals"),
            parameters.integer("seed"),
        );
        if task != "estimate-error" && (deals != 0 || seed != 0) {
            let text = format!("task={task} takes neither deals nor seed: leave them out");
            return Err(WorkloadError::Refused(text));
        }
        if matches!(task, "frequencies" | "check") && stage != 5 {
            return Err(WorkloadError::Refused(format!(
                "task={task} takes no stage: leave it out"
            )));
        }
        Ok(match task {
            "frequencies" => Arc::new(FrequenciesRun::new(game)),
            "check" => Arc::new(CheckRun::new(game)),
            "estimate-error" if stage < 2 => {
                let text = "task=estimate-error takes stage=2 to 5: with fewer board cards the estimate knows no board";
                return Err(WorkloadError::Refused(text.to_owned()));
            }
            "estimate-error" => {
                let deals = if deals == 0 { USUAL_DEALS } else { deals as u32 };
                Arc::new(EstimateErrorRun::new(game, stage, deals, seed))
            }
            _ => Arc::new(TableRun::new(game, stage)),
        })
    }
}

/// Deck and rule; the evaluator is built at first use.
#[derive(Debug)]
struct Game {
    deck: Deck,
    rule: Rule,
    evaluator: OnceLock<Evaluator>,
}

impl Game {
    fn of(parameters: &Parameters) -> Result<Self, WorkloadError> {
        let deck = Deck::of_size(parameters.integer("deck") as usize);
        let rule = Rule::named(parameters.text("rule"));
        let (deck, rule) = (
            deck.expect("the choices are the decks"),
            rule.expect("the choices are the names of the rules"),
        );
        if deck == Deck::Cards52 && rule == Rule::Wild {
            let text = "without jokers (deck=52) both rules are the same: leave rule=wild out";
            return Err(WorkloadError::Refused(text.to_owned()));
        }
        Ok(Self { deck, rule, evaluator: OnceLock::new() })
    }

    fn evaluator(&self) -> &Evaluator {
        self.evaluator.get_or_init(|| Evaluator::new(self.rule))
    }

    /// Part of the names of jobs: `54-distinct`.
    fn name(&self) -> String {
        format!("{}-{}", self.deck, self.rule.name())
    }
}
