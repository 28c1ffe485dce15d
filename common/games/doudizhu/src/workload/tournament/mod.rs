//! Task `tournament`: agents against agents, every deal in both orders.

mod artifact;
mod contest;
mod pictures;
mod record;
mod tally;

use std::io;

use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError, Estimate,
    Parameters, Plan, PlanError, QueryError, Sample, Slice, VerifyReport, WorkloadError,
};
use rayon::prelude::*;
use serde_json::{Map, Value};

use super::pool::Pool;
use super::slices::{EvenJob, cut};
use crate::agents::AgentKind;
use crate::arena::{Arena, LandlordBy, Order, Setting, is_mirror};
use crate::game::{AuctionKind, Scoring};
pub(crate) use contest::{Contest, ContestError};
use record::GameRecord;

/// Games of a deal: each agent is landlord once.
const ORDERS: [Order; 2] = [Order::First, Order::Second];
/// Bytes of a deal's result.
const DEAL_BYTES: usize = ORDERS.len() * GameRecord::BYTES;
/// Deals that one thread plays before it gives its players back.
const CHUNK: usize = 16;

pub(super) struct Tournament {
    setting: Setting,
    deals: u32,
    pairs: Vec<Pair>,
    arenas: Pool<Arena>,
}

/// Two agents that meet.
struct Pair {
    agents: [AgentKind; 2],
}

impl Pair {
    fn name(&self) -> String {
        format!("{}-{}", self.agents[0], self.agents[1])
    }

    fn is_mirror(&self) -> bool {
        is_mirror(self.agents)
    }
}

impl Tournament {
    pub(super) fn new(parameters: &Parameters) -> Result<Self, WorkloadError> {
        let landlord = match parameters.text("landlord") {
            "bid" => LandlordBy::Auction(AuctionKind::Bid),
            "rob" => LandlordBy::Auction(AuctionKind::Rob),
            _ => LandlordBy::SeatZero,
        };
        let rules = parameters.text("rules").parse().map_err(refused)?;
        let think = parameters.integer("think") as u32;
        let agents = |name: &str| -> Result<Vec<AgentKind>, WorkloadError> {
            match parameters.text(name) {
                "all" => Ok(AgentKind::all(think).to_vec()),
                name => {
                    let agent = name.parse::<AgentKind>().map_err(refused)?;
                    Ok(vec![agent.thinking(think)])
                }
            }
        };
        let (firsts, seconds) = (agents("a")?, agents("b")?);
        let mut pairs: Vec<Pair> = Vec::new();
        for first in &firsts {
            for second in &seconds {
                let agents = [*first, *second];
                let met = |pair: &Pair| pair.agents == agents || pair.agents == [*second, *first];
                if !pairs.iter().any(met) {
                    pairs.push(Pair { agents });
                }
            }
        }
        let scoring = Scoring { spring: parameters.integer("spring") as i64 };
        let setting = Setting { rules, scoring, landlord, seed: parameters.integer("seed") };
        Ok(Self {
            setting,
            deals: parameters.integer("deals") as u32,
            pairs,
            arenas: Pool::default(),
        })
    }

    fn pair(&self, slice: &Slice) -> Result<&Pair, ComputeError> {
        let pair = self.pairs.get(slice.job.0 as usize);
        let pair = pair.filter(|_| slice.first_row + slice.rows <= self.deals);
        pair.ok_or_else(|| ComputeError::Invalid("the slice is not of this tournament".to_owned()))
    }

    fn with_arena<R>(&self, work: impl FnOnce(&mut Arena) -> R) -> R {
        self.arenas.with(|| Arena::new(self.setting), work)
    }

    /// Both games of a deal. Agents that play themselves play it once: the second order is the same game.
    fn play(&self, arena: &mut Arena, pair: &Pair, deal: u64) -> [GameRecord; 2] {
        let play = |arena: &mut Arena, order| {
            GameRecord::of(&arena.play(pair.agents, deal, order), self.setting.scoring)
        };
        let first = play(arena, Order::First);
        [first, if pair.is_mirror() { first } else { play(arena, Order::Second) }]
    }

    fn deal_ns(pair: &Pair) -> u64 {
        let [first, second] = pair.agents.map(AgentKind::game_ns);
        if pair.is_mirror() { first } else { first + second }
    }
}

fn refused(error: impl std::fmt::Display) -> WorkloadError {
    WorkloadError::Refused(error.to_string())
}

impl Computation for Tournament {
    fn estimate(&self) -> Estimate {
        let games = self.pairs.len() as u64 * u64::from(self.deals);
        let ns: u64 =
            self.pairs.iter().map(|pair| u64::from(self.deals) * Self::deal_ns(pair)).sum();
        Estimate {
            elements: games,
            core_seconds: ns as f64 * 1e-9,
            worker_bytes: 128 << 20,
            store_bytes: games * DEAL_BYTES as u64 / 4,
            artifact_bytes: games * DEAL_BYTES as u64,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let jobs = self.pairs.iter().map(|pair| EvenJob {
            name: pair.name(),
            family: "",
            rows: self.deals,
            row_bytes: DEAL_BYTES as u64,
            row_cost: Self::deal_ns(pair),
        });
        cut(jobs.collect(), slice_target)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices
            .iter()
            .map(|slice| {
                let pair = self.pair(slice)?;
                let mut payload = vec![0; slice.rows as usize * DEAL_BYTES];
                payload.par_chunks_mut(CHUNK * DEAL_BYTES).enumerate().try_for_each(
                    |(chunk, out)| {
                        let first = u64::from(slice.first_row) + (chunk * CHUNK) as u64;
                        self.with_arena(|arena| {
                            for (deal, out) in (first..).zip(out.chunks_mut(DEAL_BYTES)) {
                                context.poll()?;
                                let games = self.play(arena, pair, deal);
                                for (game, out) in
                                    games.iter().zip(out.chunks_mut(GameRecord::BYTES))
                                {
                                    game.write(out);
                                }
                                (context.progress)(Self::deal_ns(pair));
                            }
                            Ok(())
                        })
                    },
                )?;
                Ok(payload)
            })
            .collect()
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        let pair = self.pair(slice).map_err(|error| CheckError(error.to_string()))?;
        if payload.len() != slice.rows as usize * DEAL_BYTES {
            return Err(CheckError(format!("{} bytes for {} deals", payload.len(), slice.rows)));
        }
        for (deal, bytes) in (slice.first_row..).zip(payload.chunks(DEAL_BYTES)) {
            let games = [0, 1].map(|order| GameRecord::read(&bytes[order * GameRecord::BYTES..]));
            let possible = games.iter().all(|game| game.is_possible(&self.setting));
            let same_deal = games[0].thrown_in == games[1].thrown_in;
            if !possible || !same_deal || pair.is_mirror() && games[0] != games[1] {
                return Err(CheckError(format!(
                    "deal {deal} of {}: {games:?} cannot be",
                    pair.name()
                )));
            }
        }
        Ok(())
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        artifact::assemble(self, plan, payloads, sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        artifact::answer(self, artifact, question)
    }

    fn pictures(&self) -> &'static [PictureKind] {
        pictures::KINDS
    }

    fn picture(
        &self,
        artifact: &dyn ArtifactSource,
        kind: &str,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        pictures::picture(self, artifact, kind, context)
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        artifact::verify(self, artifact, sample, context)
    }
}
