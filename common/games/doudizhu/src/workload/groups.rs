//! Task `groups`: fewest groups of every hand.

use std::io;

use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Parameters, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::group_pictures::{self, BySize};
use super::pool::Pool;
use super::slices::{EvenJob, cut};
use crate::cards::{Hand, parse_hand};
use crate::groups::reference::Reference;
use crate::groups::{HandIndex, MOST_GROUPS, Solver};

/// The array: one byte a hand.
const GROUPS: &str = "groups";
/// Hands computed between two looks at the cancel flag.
const CHUNK: usize = 1 << 14;
/// Nanoseconds of one core for a hand, on average.
const HAND_NS: u64 = 90;
/// One hand in so many is looked at by the cheap check.
const CHECKED: usize = 509;
/// Bytes of the table that are read at a time.
const READ_BYTES: usize = 8 << 20;

pub(super) struct GroupTable {
    index: HandIndex,
    solvers: Pool<Solver>,
}

impl GroupTable {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let index = HandIndex::new(parameters.integer("cards") as u32);
        Self { index, solvers: Pool::default() }
    }

    /// Positions of a slice.
    fn range(&self, slice: &Slice) -> std::ops::Range<u32> {
        slice.first_row..slice.first_row + slice.rows
    }
}

impl Computation for GroupTable {
    fn estimate(&self) -> Estimate {
        let hands = u64::from(self.index.len());
        Estimate {
            elements: hands,
            core_seconds: (hands * HAND_NS) as f64 * 1e-9,
            worker_bytes: 64 << 20,
            store_bytes: hands / 8,
            artifact_bytes: hands,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let job = EvenJob {
            name: "hands".to_owned(),
            family: "",
            rows: self.index.len(),
            row_bytes: 1,
            row_cost: HAND_NS,
        };
        cut(vec![job], slice_target)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices
            .iter()
            .map(|slice| {
                let range = self.range(slice);
                if range.end > self.index.len() {
                    return Err(ComputeError::Invalid(format!(
                        "there is no hand {}",
                        range.end - 1
                    )));
                }
                let mut payload = vec![0; range.len()];
                payload.par_chunks_mut(CHUNK).enumerate().try_for_each(|(chunk, out)| {
                    context.poll()?;
                    let first = range.start + (chunk * CHUNK) as u32;
                    self.solvers
                        .with(Solver::default, |solver| solver.fill(&self.index, first, out));
                    (context.progress)(out.len() as u64 * HAND_NS);
                    Ok(())
                })?;
                Ok(payload)
            })
            .collect()
    }

    /// A hand takes as many groups as it has ranks at most (jokers together), and none only if it is empty.
    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        if payload.len() as u64 != u64::from(slice.rows) {
            return Err(CheckError(format!("{} bytes for {} hands", payload.len(), slice.rows)));
        }
        for (at, groups) in payload.iter().enumerate() {
            let position = slice.first_row + at as u32;
            let wrong = *groups > MOST_GROUPS || (*groups == 0) != (position == 0);
            if wrong || at % CHECKED == 0 && !possible(self.index.hand(position), *groups) {
                let hand = self.index.hand(position);
                return Err(CheckError(format!("{hand} cannot take {groups} groups")));
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
        let array = sink.array(GROUPS, ElementType::U8, &[self.index.len().into()])?;
        let mut histogram = Histogram::default();
        let mut sizes = self.index.sizes();
        for (slice, payload) in plan.slices().iter().zip(payloads) {
            let payload = payload?;
            for (groups, size) in payload.iter().zip(&mut sizes) {
                histogram.0[usize::from(size)][usize::from(*groups)] += 1;
            }
            sink.write_at(array, slice.first_row.into(), &payload)?;
        }
        histogram.check(&self.index)?;
        histogram.write(&self.index, sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let hand = parse_hand(&question.concat())
            .map_err(|error| QueryError::Question(error.to_string()))?;
        let position = self.index.of(hand).ok_or_else(|| {
            let (cards, most) = (hand.len(), self.index.most());
            QueryError::Question(format!("{hand} has {cards} cards, the table ends at {most}"))
        })?;
        let mut groups = [0];
        artifact.read_at(GROUPS, position.into(), &mut groups)?;
        let partition = self.solvers.with(Solver::default, |solver| solver.partition(hand));
        let partition: Vec<_> = partition.iter().map(ToString::to_string).collect();
        let mut answer = Map::new();
        answer.insert("hand".into(), json!(hand.to_string()));
        answer.insert("cards".into(), json!(hand.len()));
        answer.insert("groups".into(), json!(groups[0]));
        answer.insert("partition".into(), json!(partition.join(" ")));
        answer.insert("position".into(), json!(position));
        Ok(answer)
    }

    fn pictures(&self) -> &'static [PictureKind] {
        group_pictures::KINDS
    }

    fn picture(
        &self,
        artifact: &dyn ArtifactSource,
        kind: &str,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        let draw = match kind {
            "groups" => group_pictures::histogram,
            "by-size" => group_pictures::grid,
            _ => return Err(QueryError::no_picture(kind, group_pictures::KINDS)),
        };
        Ok(draw(&self.by_size(artifact, context)?))
    }

    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        sample.recompute(self.index.len().into(), |position| {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let mut stored = [0];
            artifact.read_at(GROUPS, position, &mut stored)?;
            let hand = self.index.hand(position as u32);
            let computed = Reference::default().fewest(hand);
            (context.progress)(1);
            let difference = || format!("{hand}: artifact {}, definition {computed}", stored[0]);
            Ok((stored[0] != computed).then(difference))
        })
    }
}

impl GroupTable {
    /// Reads the whole table: hands by number of cards and groups.
    fn by_size(
        &self,
        artifact: &dyn ArtifactSource,
        context: &ComputeContext<'_>,
    ) -> Result<BySize, QueryError> {
        let mut by_size: BySize =
            vec![[0; MOST_GROUPS as usize + 1]; self.index.most() as usize + 1];
        let (mut sizes, all) = (self.index.sizes(), u64::from(self.index.len()));
        let mut read = vec![0; READ_BYTES];
        for first in (0..all).step_by(READ_BYTES) {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let groups = &mut read[..(all - first).min(READ_BYTES as u64) as usize];
            artifact.read_at(GROUPS, first, groups)?;
            for (groups, size) in groups.iter().zip(&mut sizes) {
                let counts = &mut by_size[usize::from(size)];
                let count = counts.get_mut(usize::from(*groups)).ok_or_else(|| {
                    let text = format!("a hand of {size} cards takes {groups} groups");
                    io::Error::new(io::ErrorKind::InvalidData, text)
                })?;
                *count += 1;
            }
            (context.progress)(groups.len() as u64);
        }
        Ok(by_size)
    }
}

fn possible(hand: Hand, groups: u8) -> bool {
    let jokers = u32::from(hand.contains(Hand::ROCKET));
    u32::from(groups) <= hand.ranks().len() - jokers
}

/// Hands by size and groups.
#[derive(Default)]
struct Histogram([[u64; MOST_GROUPS as usize + 1]; Hand::MOST as usize + 1]);

impl Histogram {
    /// Every size has its hands, and the hands of one group are the moves.
    fn check(&self, index: &HandIndex) -> io::Result<()> {
        const MOVES: u64 = 27_471;
        let wrong = |text: String| Err(io::Error::new(io::ErrorKind::InvalidData, text));
        for (size, counts) in (0..=index.most()).zip(&self.0) {
            let hands: u64 = counts.iter().sum();
            if hands != u64::from(index.of_size(size)) {
                return wrong(format!(
                    "{hands} hands of {size} cards where {} are",
                    index.of_size(size)
                ));
            }
        }
        let single: u64 = self.0.iter().map(|counts| counts[1]).sum();
        if index.most() == Hand::MOST && single != MOVES {
            return wrong(format!("{single} hands of one group, but there are {MOVES} moves"));
        }
        Ok(())
    }

    fn write(&self, index: &HandIndex, sink: &mut dyn ArtifactSink) -> io::Result<()> {
        let sizes = (0..=index.most()).zip(&self.0);
        let mut rows = sizes.clone().flat_map(|(size, counts)| {
            let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(move |(groups, count)| {
                let fields = [size.into(), index.of_size(size).into(), groups as u64, *count];
                fields.map(|field| field.to_string()).to_vec()
            })
        });
        sink.table("histogram", &["n_cards", "n_hands", "min_groups", "count"], &mut rows)?;
        let groups: u64 = sizes
            .flat_map(|(_, counts)| counts.iter().enumerate())
            .map(|(groups, count)| groups as u64 * count)
            .sum();
        sink.fact("hands", json!(index.len()));
        sink.fact("groups_of_all_hands", json!(groups));
        for groups in 1..=MOST_GROUPS {
            let hands: u64 = self.0.iter().map(|counts| counts[usize::from(groups)]).sum();
            if hands > 0 {
                sink.fact(&format!("hands_of_{groups}_groups"), json!(hands));
            }
        }
        Ok(())
    }
}
