//! The picture of a tournament: who wins as landlord against whom.

use fulldeck_job::picture::{Cell, Drawing, Grid, Palette, Picture, PictureKind, Scale, grouped};
use fulldeck_job::{ArtifactSource, ComputeContext, QueryError};
use rayon::prelude::*;

use super::tally::Tally;
use super::{Tournament, artifact};
use crate::agents::AgentKind;
use crate::arena::LandlordBy;

/// Kinds of pictures of a tournament.
pub(super) const KINDS: &[PictureKind] = &[PictureKind {
    name: "win-rate",
    summary: "how often each agent wins as landlord against each as farmers",
}];

pub(super) fn picture(
    tournament: &Tournament,
    artifact: &dyn ArtifactSource,
    kind: &str,
    context: &ComputeContext<'_>,
) -> Result<Picture, QueryError> {
    if KINDS.iter().all(|known| known.name != kind) {
        return Err(QueryError::no_picture(kind, KINDS));
    }
    let pairs = 0..tournament.pairs.len();
    let tallies = pairs
        .into_par_iter()
        .map(|at| {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let tally = artifact::tally(tournament, artifact, at)?;
            (context.progress)(u64::from(tournament.deals));
            Ok(tally)
        })
        .collect::<Result<Vec<_>, QueryError>>()?;
    Ok(matrix(tournament, &tallies))
}

/// Agents that met, each once, in the order of the pairs.
fn agents(tournament: &Tournament, side: usize) -> Vec<AgentKind> {
    let mut agents = Vec::new();
    for pair in &tournament.pairs {
        for agent in [pair.agents[side], pair.agents[1 - side]] {
            if !agents.contains(&agent) {
                agents.push(agent);
            }
        }
    }
    agents
}

fn matrix(tournament: &Tournament, tallies: &[Tally]) -> Picture {
    let agents = agents(tournament, 0);
    let cell = |landlord: AgentKind, farmers: AgentKind| {
        let met =
            tournament.pairs.iter().zip(tallies).find_map(|(pair, tally)| match pair.agents {
                both if both == [landlord, farmers] => Some(&tally.orders[0]),
                both if both == [farmers, landlord] => Some(&tally.orders[1]),
                _ => None,
            });
        let rate = met?.win_rate();
        let value = 100.0 * rate.estimate;
        let half = 50.0 * (rate.high - rate.low);
        Some(Cell { value, lines: vec![format!("{value:.1}"), format!("± {half:.1}")] })
    };
    let names: Vec<String> = agents.iter().map(ToString::to_string).collect();
    let cells = agents
        .iter()
        .map(|landlord| agents.iter().map(|farmers| cell(*landlord, *farmers)).collect::<Vec<_>>());
    let cells: Vec<_> = cells.collect();
    let missing = cells.iter().flatten().any(Option::is_none);
    let grid = Grid {
        row_axis: "landlord".to_owned(),
        column_axis: "farmers".to_owned(),
        row_labels: names.clone(),
        column_labels: names,
        cells,
        scale: Scale {
            label: "games won by the landlord, %".to_owned(),
            palette: Palette::Diverging { centre: 50.0, reach: 50.0 },
            missing: if missing { "did not meet".to_owned() } else { String::new() },
        },
    };
    let landlord = match tournament.setting.landlord {
        LandlordBy::SeatZero => "seat 0 is landlord",
        LandlordBy::Auction(_) => "the landlord is found by auction",
    };
    let (deals, seed) = (grouped(tournament.deals.into()), tournament.setting.seed);
    let subtitle =
        format!("{deals} deals of each pair, each played in both orders; {landlord}; seed {seed}");
    Picture::of("Dou Dizhu: how often the landlord wins", subtitle, Drawing::Grid(grid)).note(
        "± is half the width of the 95 % interval (Wilson). Agents that meet themselves play each deal once.",
    )
}
