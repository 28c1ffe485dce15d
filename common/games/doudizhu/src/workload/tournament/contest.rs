//! A small tournament of one pair, added up at once.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::tally::Tally;
use super::{CHUNK, Pair, Tournament, artifact};
use crate::agents::AgentKind;
use crate::arena::Setting;
use crate::workload::pool::Pool;

/// One pair and its deals.
pub(crate) struct Contest {
    pub(crate) setting: Setting,
    pub(crate) agents: [AgentKind; 2],
    pub(crate) deals: u32,
}

/// Stopped before it was over.
pub(crate) struct ContestError;

impl Contest {
    pub(crate) fn play(
        self,
        cancel: &AtomicBool,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Map<String, Value>, ContestError> {
        let Self { setting, agents, deals } = self;
        let pairs = vec![Pair { agents }];
        let tournament = Tournament { setting, deals, pairs, arenas: Pool::default() };
        let pair = &tournament.pairs[0];
        let chunks: Vec<u32> = (0..deals).step_by(CHUNK).collect();
        let games = chunks
            .into_par_iter()
            .map(|first| {
                let deals = first..(first + CHUNK as u32).min(deals);
                tournament.with_arena(|arena| {
                    deals
                        .map(|deal| {
                            if cancel.load(Ordering::Relaxed) {
                                return Err(ContestError);
                            }
                            let games = tournament.play(arena, pair, deal.into());
                            progress(1);
                            Ok(games)
                        })
                        .collect::<Result<Vec<_>, _>>()
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut tally = Tally::default();
        games.iter().flatten().for_each(|games| tally.add(games));
        Ok(artifact::record(pair, &tally))
    }
}
