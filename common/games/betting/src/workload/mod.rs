//! The workload `betting`: numbers of strategies for a grid of structures, or one long number by its residues.

mod counts;
mod primes;
mod record;
mod remainders;
mod residues;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use fulldeck_job::{
    Computation, ParameterKind, ParameterSpec, Parameters, Workload, WorkloadError,
};

use crate::preflop::{MAX_CAP, MAX_PLAYERS, MIN_PLAYERS, Preflop, Seat};

/// The workload `betting`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Betting;

/// Values of the parameter `seat`.
const SEATS: &[&str] = &[
    "last", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
    "16", "17", "18", "19", "20", "21", "22",
];

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec {
        name: "task",
        summary: "counts: every seat of every structure up to players and cap; residues: one number, by the Chinese \
                  remainder theorem",
        default: "counts",
        kind: ParameterKind::Choice(&["counts", "residues"]),
    },
    ParameterSpec {
        name: "players",
        summary: "players; of a grid, at most",
        default: "6",
        kind: ParameterKind::Integer { min: MIN_PLAYERS as u64, max: MAX_PLAYERS as u64 },
    },
    ParameterSpec {
        name: "cap",
        summary: "highest bet, the big blind being 1; of a grid, at most",
        default: "4",
        kind: ParameterKind::Integer { min: 1, max: MAX_CAP as u64 },
    },
    ParameterSpec {
        name: "seat",
        summary: "residues: whose strategies, 0 being first to act and last the big blind",
        default: "last",
        kind: ParameterKind::Choice(SEATS),
    },
    ParameterSpec {
        name: "fold_when_free",
        summary: "whether a player may fold where checking costs nothing",
        default: "yes",
        kind: ParameterKind::Choice(&["yes", "no"]),
    },
    ParameterSpec {
        name: "max_digits",
        summary: "counts: longer numbers are known by length, ends and residue, without SHA-256",
        default: "3000000",
        kind: ParameterKind::Integer { min: 1, max: 50_000_000 },
    },
];

impl Workload for Betting {
    fn name(&self) -> &'static str {
        "betting"
    }

    fn summary(&self) -> &'static str {
        "numbers of pure strategies in fixed-limit betting before the flop"
    }

    fn algorithm_version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        let structure = Preflop::new(parameters.integer("players"), parameters.integer("cap"))
            .map_err(|error| WorkloadError::Refused(error.to_string()))?
            .with_fold_when_free(parameters.text("fold_when_free") == "yes");
        if parameters.text("task") == "counts" {
            let max_digits = parameters.integer("max_digits");
            return Ok(Arc::new(counts::CountsRun::new(structure, max_digits)));
        }
        let seat = match parameters.text("seat") {
            "last" => Ok(Seat(structure.players() - 1)),
            _ => structure.seat(parameters.integer("seat")),
        };
        let seat = seat.map_err(|error| WorkloadError::Refused(error.to_string()))?;
        Ok(Arc::new(residues::ResiduesRun::new(structure, seat)?))
    }
}
