//! Task `frequencies`: every hand of five, six and seven cards dealt and judged, one job a size. A result has the number
//! of hands of each value; results are added.

use std::io;
use std::sync::Arc;

use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, VerifyReport,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Game;
use super::payload::{check_length, invalid, of_words, words};
use super::question::refused;
use super::slices::{Cut, cost_of_slice, rows};
use crate::counting::{Dealing, choose};
use crate::{
    BestFive, Classes, HandType, Histogram, Positions, Value as HandValue, parse_hand, pictures,
    to_text,
};

/// Sizes of hands, one job each.
const SIZES: [usize; 3] = [5, 6, 7];
/// Hands of a slice when the planner may choose: a quarter of a second or so.
const USUAL_HANDS: u64 = 20_000_000;

/// A run of task `frequencies`.
pub(super) struct FrequenciesRun {
    game: Arc<Game>,
}

impl FrequenciesRun {
    pub(super) const fn new(game: Arc<Game>) -> Self {
        Self { game }
    }

    fn values(&self) -> usize {
        usize::from(self.game.rule.values()) + 1
    }

    fn dealing(&self, job: JobIndex) -> Option<Dealing> {
        SIZES.get(job.0 as usize).map(|cards| Dealing::new(self.game.deck, *cards))
    }

    fn hands(&self) -> u64 {
        SIZES.iter().map(|cards| choose(self.game.deck.size() as u64, *cards as u64)).sum()
    }

    fn deal(&self, slice: &Slice, context: &ComputeContext<'_>) -> Result<Vec<u8>, ComputeError> {
        let dealing = self
            .dealing(slice.job)
            .ok_or_else(|| ComputeError::Invalid(format!("there is no job {}", slice.job.0)))?;
        if rows(slice).end > dealing.rows() {
            return Err(ComputeError::Invalid(format!("there is no row {}", rows(slice).end - 1)));
        }
        let evaluator = self.game.evaluator();
        let counts = rows(slice)
            .into_par_iter()
            .try_fold(
                || vec![0u64; self.values()],
                |mut counts, row| {
                    context.poll()?;
                    dealing.deal(evaluator, row, &mut counts);
                    (context.progress)(dealing.hands(row));
                    Ok(counts)
                },
            )
            .try_reduce(
                || vec![0; self.values()],
                |mut sum, more| {
                    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                    Ok(sum)
                },
            )?;
        Ok(of_words(counts))
    }
}

impl Computation for FrequenciesRun {
    fn estimate(&self) -> Estimate {
        let hands = self.hands();
        let bytes = self.values() as u64 * 8;
        Estimate {
            elements: hands,
            core_seconds: hands as f64 * HAND_SECONDS,
            worker_bytes: 16 << 20,
            store_bytes: hands.div_ceil(USUAL_HANDS) * bytes,
            artifact_bytes: 3 * bytes + (1 << 20),
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let (mut jobs, mut slices) = (Vec::new(), Vec::new());
        let cost = cost_of_slice(self.hands(), USUAL_HANDS, slice_target);
        for (index, cards) in (0..).zip(SIZES) {
            let dealing = Dealing::new(self.game.deck, cards);
            let costs: Vec<u64> = (0..dealing.rows()).map(|row| dealing.hands(row)).collect();
            let cut = Cut { job: JobIndex(index), cost, most_rows: u32::MAX };
            let bytes = self.values() as u64 * 8;
            cut.append(&mut slices, &costs, |rows| {
                (costs[rows.start as usize..rows.end as usize].iter().sum(), bytes)
            });
            jobs.push(Job {
                name: format!("{}-{cards}", self.game.name()),
                family: String::new(),
                rows: dealing.rows(),
            });
        }
        Plan::new(jobs, slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices.iter().map(|slice| self.deal(slice, context)).collect()
    }

    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        check_length(slice, payload)?;
        let counted = words(payload).try_fold(0u64, u64::checked_add);
        if counted != Some(slice.elements) || words(payload).next() != Some(0) {
            return Err(CheckError(format!(
                "{counted:?} hands are counted where {} are dealt",
                slice.elements
            )));
        }
        Ok(())
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let game = &self.game;
        let mut all = SIZES.map(|cards| (cards, Histogram::empty(game.rule, game.deck, cards)));
        for (slice, payload) in plan.slices().iter().zip(&mut *payloads) {
            let payload = payload?;
            if payload.len() != self.values() * 8 {
                return Err(invalid(format!("slice {} has {} bytes", slice.id.0, payload.len())));
            }
            all[slice.job.0 as usize].1.add(words(&payload));
        }
        if payloads.next().is_some() {
            return Err(invalid("more results than the plan has slices".to_owned()));
        }
        let classes = Classes::new();
        for (cards, histogram) in &all {
            let counted: u64 = histogram.counts().iter().sum();
            if counted != histogram.all_hands() {
                let all = histogram.all_hands();
                return Err(invalid(format!("{counted} hands of {cards} where there are {all}")));
            }
            write_positions(histogram, &classes, *cards, sink)?;
            let array =
                sink.array(&counts_name(*cards), ElementType::U64, &[self.values() as u64])?;
            sink.write_at(array, 0, &of_words(histogram.counts().iter().copied()))?;
        }
        write_types(&all, &classes, sink)?;
        sink.fact("deck", json!(game.deck.size()));
        sink.fact("rule", json!(game.rule.name()));
        for (cards, histogram) in all {
            sink.fact(&format!("hands_{cards}"), json!(histogram.all_hands()));
            sink.fact(&format!("values_{cards}"), json!(Positions::new(histogram).distinct()));
        }
        Ok(())
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let [text] = question else {
            let text =
                "one hand of five, six or seven cards is asked for, in quotes if it has spaces";
            return Err(refused(text));
        };
        let hand = parse_hand(text, self.game.deck, &SIZES).map_err(refused)?;
        let histogram = self.read(artifact, hand.len())?;
        let classes = Classes::new();
        let best = BestFive::of(&hand, self.game.evaluator(), &classes);
        let standing = Positions::new(histogram).of(best.value);
        let class = classes.of(best.value);
        let mut answer = Map::new();
        answer.insert("cards".into(), json!(to_text(&hand)));
        answer.insert("type".into(), json!(class.hand_type.name()));
        answer.insert("best5".into(), json!(class.to_string()));
        answer.insert("rank".into(), json!(best.value.rank(self.game.rule)));
        answer.insert("position".into(), json!(standing.position));
        answer.insert("lower".into(), json!(standing.lower));
        answer.insert("hands".into(), json!(standing.hands));
        answer.insert("percentile".into(), json!(standing.percentile()));
        Ok(answer)
    }

    fn pictures(&self) -> &'static [PictureKind] {
        &[pictures::FREQUENCIES]
    }

    fn picture(
        &self,
        artifact: &dyn ArtifactSource,
        kind: &str,
        context: &ComputeContext<'_>,
    ) -> Result<Picture, QueryError> {
        if kind != pictures::FREQUENCIES.name {
            return Err(QueryError::no_picture(kind, self.pictures()));
        }
        let histograms = SIZES.map(|cards| Ok((cards, self.read(artifact, cards)?)));
        let histograms = histograms.into_iter().collect::<Result<Vec<_>, QueryError>>()?;
        (context.progress)(self.hands());
        Ok(pictures::sizes(histograms, self.game.deck, self.game.rule))
    }

    /// Compares the number of hands of each value with what combinatorics say: all of them, whatever the sample.
    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        _sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        let mut report = VerifyReport::default();
        for cards in SIZES {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let stored = self.read(artifact, cards)?;
            let counted = Histogram::count(self.game.evaluator(), self.game.deck, cards);
            for (value, (dealt, counted)) in
                stored.counts().iter().zip(counted.counts()).enumerate().skip(1)
            {
                report.add((dealt != counted).then(|| {
                    format!("{cards} cards, value {value}: dealt {dealt}, counted {counted}")
                }));
            }
            (context.progress)(counted.all_hands());
        }
        Ok(report)
    }
}

impl FrequenciesRun {
    fn read(&self, artifact: &dyn ArtifactSource, cards: usize) -> Result<Histogram, QueryError> {
        let mut bytes = vec![0; self.values() * 8];
        artifact.read_at(&counts_name(cards), 0, &mut bytes)?;
        let mut histogram = Histogram::empty(self.game.rule, self.game.deck, cards);
        histogram.add(words(&bytes));
        Ok(histogram)
    }
}

fn counts_name(cards: usize) -> String {
    format!("hands_{cards}")
}

/// One line for every value that hands of a size have, from the best.
pub(super) fn write_positions(
    histogram: &Histogram,
    classes: &Classes,
    cards: usize,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let positions = Positions::new(histogram.clone());
    let rule = histogram.rule();
    let values = (1..=rule.values()).rev().filter_map(|number| HandValue::new(number, rule));
    let mut rows =
        values.filter(|value| histogram.counts()[usize::from(value.number())] > 0).map(|value| {
            let (class, standing) = (classes.of(value), positions.of(value));
            vec![
                value.rank(rule).to_string(),
                class.hand_type.name().to_owned(),
                class.to_string(),
                histogram.counts()[usize::from(value.number())].to_string(),
                standing.position.to_string(),
                standing.lower.to_string(),
            ]
        });
    let header = ["rank", "type", "best5", "hands", "position", "lower"];
    sink.table(&format!("positions_{cards}"), &header, &mut rows)
}

/// One line for every size and type.
pub(super) fn write_types(
    all: &[(usize, Histogram)],
    classes: &Classes,
    sink: &mut dyn ArtifactSink,
) -> io::Result<()> {
    let mut rows = all.iter().flat_map(|(cards, histogram)| {
        let (types, royal) = histogram.by_type(classes);
        let royal = ("royal_flush_among_them", royal);
        let types = HandType::ALL.iter().map(|hand_type| hand_type.name()).zip(types);
        let rows = types
            .chain([royal])
            .map(|(name, hands)| vec![cards.to_string(), name.to_owned(), hands.to_string()]);
        rows.collect::<Vec<_>>()
    });
    sink.table("frequencies", &["cards", "type", "hands"], &mut rows)
}

/// CPU time to deal and judge one hand on one core of a current server, in seconds.
const HAND_SECONDS: f64 = 8e-9;
