//! The workload: tournaments, the table of fewest groups, and endgames, each one a task.

mod endgames;
mod group_pictures;
mod groups;
mod parameters;
mod pool;
mod replay;
mod slices;
#[cfg(test)]
mod tests;
mod tournament;

use std::sync::Arc;

use fulldeck_job::{Computation, ParameterSpec, Parameters, Workload, WorkloadError};

use endgames::Endgames;
use groups::GroupTable;
use tournament::Tournament;
pub(crate) use tournament::{Contest, ContestError};

/// The workload `doudizhu`.
#[derive(Clone, Copy, Debug)]
pub struct DouDizhu;

impl Workload for DouDizhu {
    fn name(&self) -> &'static str {
        "doudizhu"
    }

    fn summary(&self) -> &'static str {
        "Dou Dizhu: tournaments of agents, fewest groups of every hand, endgames with open cards"
    }

    fn algorithm_version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> &'static [ParameterSpec] {
        parameters::PARAMETERS
    }

    fn prepare(&self, parameters: &Parameters) -> Result<Arc<dyn Computation>, WorkloadError> {
        parameters::refuse_foreign(parameters)?;
        Ok(match parameters.text("task") {
            "groups" => Arc::new(GroupTable::new(parameters)),
            "endgames" => Arc::new(Endgames::new(parameters)?),
            _ => Arc::new(Tournament::new(parameters)?),
        })
    }
}
