//! Two agents against each other, without a run.

use std::sync::atomic::AtomicBool;

use super::{Answer, QuestionError};
use crate::agents::AgentKind;
use crate::arena::Setting;
use crate::workload::{Contest, ContestError};

/// Plays deals `0..deals` in both orders on the current thread pool, and adds up. `progress` is told of every deal.
///
/// # Errors
/// [`QuestionError::Refused`] when `cancel` was set.
pub fn contest(
    setting: Setting,
    agents: [AgentKind; 2],
    deals: u32,
    cancel: &AtomicBool,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Answer, QuestionError> {
    Contest { setting, agents, deals }.play(cancel, progress).map_err(|ContestError| {
        QuestionError::Refused("the contest was stopped before it was over".to_owned())
    })
}
