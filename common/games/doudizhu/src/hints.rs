//! What agents would do, with their reasons, for a person in a game.

use crate::agents::improved::ImprovedPlayer;
use crate::agents::seed::{Evaluator, Prune, Recorder};
use crate::agents::{AgentKind, GreedyPlayer};
use crate::game::{Random, View};

/// Candidates that are shown.
const SHOWN: usize = 6;
/// Memory of values for one hint: 512 KiB.
const MEMORY_BITS: u32 = 16;

/// What an agent would play, then its best candidates and how it sees them, one a line.
#[must_use]
pub fn hint(agent: AgentKind, view: &View<'_>, random: &mut Random) -> Vec<String> {
    let lines = match agent {
        AgentKind::Random => Vec::new(),
        AgentKind::Greedy => by_greedy(view),
        AgentKind::Seed => by_seed(view),
        AgentKind::Improved { think } => return by_improved(think, view, random),
    };
    let play = agent.player().decide(view, random).play;
    let first =
        format!("{agent} plays {}", play.map_or_else(|| "pass".to_owned(), |mv| mv.to_string()));
    [first].into_iter().chain(lines.into_iter().take(SHOWN)).collect()
}

fn by_greedy(view: &View<'_>) -> Vec<String> {
    let ranked = GreedyPlayer::default().ranked(view);
    ranked.into_iter().map(|(mv, left)| format!("{mv}: {left} groups left")).collect()
}

fn by_seed(view: &View<'_>) -> Vec<String> {
    let mut evaluator = Evaluator::new(Prune::Series, MEMORY_BITS);
    let mut recorder = Recorder::default();
    match view.last {
        None => evaluator.lead(view.hand, &mut recorder),
        Some(last) => evaluator.follow(view.hand, &last.mv, &mut recorder),
    };
    let mut considered = recorder.0;
    // Of equal ones the later wins: it comes first here.
    considered.reverse();
    considered.sort_by_key(|one| -one.rest.score());
    considered
        .into_iter()
        .map(|one| format!("{}: leaves {} worth {}", one.group.cards, one.rest, one.rest.score()))
        .collect()
}

fn by_improved(think: u32, view: &View<'_>, random: &mut Random) -> Vec<String> {
    let estimates = ImprovedPlayer::new(think).estimates(view, random);
    let lines = estimates.into_iter().take(SHOWN).map(|one| {
        let play = one.play.map_or_else(|| "pass".to_owned(), |mv| mv.to_string());
        match one.games {
            0 => format!("{play}: nothing else to do"),
            games => {
                format!(
                    "{play}: wins {:.0} % of {games} worlds",
                    100.0 * one.wins as f64 / games as f64
                )
            }
        }
    });
    lines.collect()
}
