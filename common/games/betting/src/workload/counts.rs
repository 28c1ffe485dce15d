//! Task `counts`: one job a structure, one slice a seat.

use std::io;
use std::sync::OnceLock;

use fulldeck_job::picture::{Picture, PictureKind};
use fulldeck_job::{
    ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, SliceId,
    VerifyReport,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::record::{HEADER, MODULUS, RECORD_BYTES, Record};
use crate::digest::hex;
use crate::pictures::{self, Length};
use crate::preflop::{Order, Preflop, Seat, walk};
use crate::program::exact;

/// The array of records.
const RECORDS: &str = "records";
/// Cost of what does not depend on the length, in digits.
const BASE_COST: u64 = 10_000;
/// Seconds of one core a digit, roughly: products grow a little faster than their lengths.
const SECONDS_A_DIGIT: f64 = 1e-7;
/// Trees with at most so many ends are walked when they are verified.
const WALKED_TERMINALS: u128 = 50_000;

/// All structures up to a number of players and a cap.
pub(super) struct CountsRun {
    largest: Preflop,
    max_digits: u64,
    numbers: OnceLock<Vec<Number>>,
}

/// One number of the grid.
#[derive(Clone, Copy)]
struct Number {
    structure: Preflop,
    seat: Seat,
    /// Its digits; `u128::MAX` if they cannot be told without computing it.
    digits: u128,
}

impl CountsRun {
    pub(super) fn new(largest: Preflop, max_digits: u64) -> Self {
        Self { largest, max_digits, numbers: OnceLock::new() }
    }

    fn structures(&self) -> impl Iterator<Item = Preflop> {
        let largest = self.largest;
        (2..=largest.players()).flat_map(move |players| {
            (1..=largest.cap()).filter_map(move |cap| {
                let structure = Preflop::new(players.into(), cap.into()).ok()?;
                Some(structure.with_fold_when_free(largest.fold_when_free()))
            })
        })
    }

    /// All numbers in the order of the plan.
    fn numbers(&self) -> &[Number] {
        self.numbers.get_or_init(|| {
            let seats = self
                .structures()
                .flat_map(|structure| structure.seats().map(move |seat| (structure, seat)));
            let seats: Vec<_> = seats.collect();
            seats
                .into_par_iter()
                .map(|(structure, seat)| {
                    let known = crate::program::estimate(&structure.strategies(seat));
                    let digits = known.map_or(u128::MAX, |known| known.digits);
                    Number { structure, seat, digits }
                })
                .collect()
        })
    }

    fn is_computed(&self, number: &Number) -> bool {
        number.digits <= u128::from(self.max_digits)
    }

    fn cost(&self, number: &Number) -> u64 {
        BASE_COST + if self.is_computed(number) { number.digits as u64 } else { 0 }
    }

    fn number_of(&self, slice: &Slice) -> Option<&Number> {
        let (index, row) = (slice.job.0 as usize, slice.first_row as usize);
        let before: usize = self.structures().take(index).map(|s| usize::from(s.players())).sum();
        let number = self.numbers().get(before + row)?;
        (usize::from(number.seat.0) == row).then_some(number)
    }

    fn compute_one(&self, number: &Number) -> Result<Record, ComputeError> {
        let program = number.structure.strategies(number.seat);
        if self.is_computed(number) {
            return Ok(Record::of(&program));
        }
        Record::outline(&program).ok_or_else(|| {
            ComputeError::Invalid("the length of a number could not be proved".to_owned())
        })
    }

    fn read(&self, artifact: &dyn ArtifactSource, index: usize) -> Result<Record, QueryError> {
        let mut bytes = [0; RECORD_BYTES];
        artifact.read_at(RECORDS, (index * RECORD_BYTES) as u64, &mut bytes)?;
        Record::from_bytes(&bytes).map_err(|error| {
            QueryError::Artifact(io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
        })
    }
}

impl Computation for CountsRun {
    fn estimate(&self) -> Estimate {
        let numbers = self.numbers();
        let digits = numbers.iter().map(|number| self.cost(number)).sum::<u64>() as f64;
        let longest = numbers.iter().filter(|n| self.is_computed(n)).map(|n| n.digits).max();
        let count = numbers.len() as u64;
        Estimate {
            elements: count,
            core_seconds: digits * SECONDS_A_DIGIT,
            worker_bytes: (16 << 20) + 10 * longest.unwrap_or(0) as u64,
            store_bytes: count * RECORD_BYTES as u64,
            artifact_bytes: count * 3 * RECORD_BYTES as u64,
        }
    }

    fn plan(&self, _slice_target: u32) -> Result<Plan, PlanError> {
        let jobs: Vec<_> = self
            .structures()
            .map(|structure| Job {
                name: format!("{}-players-cap-{}", structure.players(), structure.cap()),
                family: format!("{} players", structure.players()),
                rows: structure.players().into(),
            })
            .collect();
        let mut slices: Vec<Slice> = Vec::new();
        let mut job = None;
        for number in self.numbers() {
            if number.seat.0 == 0 {
                job = Some(job.map_or(0, |job: u32| job + 1));
            }
            let id = slices.len() as u32;
            slices.push(Slice {
                id: SliceId(id),
                job: JobIndex(job.unwrap_or(0)),
                first_row: number.seat.0.into(),
                rows: 1,
                elements: 1,
                raw_bytes: RECORD_BYTES as u64,
                cost: self.cost(number),
                batch: id,
            });
        }
        Plan::new(jobs, slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        let mut payloads = Vec::with_capacity(slices.len());
        for slice in slices {
            context.poll()?;
            let number = self.number_of(slice).ok_or_else(|| {
                ComputeError::Invalid(format!("there is no slice {}", slice.id.0))
            })?;
            payloads.push(self.compute_one(number)?.to_bytes());
            (context.progress)(slice.cost);
        }
        Ok(payloads)
    }

    /// Length, ends and residue are told without the number, by other code.
    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        let number =
            self.number_of(slice).ok_or_else(|| CheckError("there is no such row".to_owned()))?;
        let record = Record::from_bytes(payload).map_err(|error| CheckError(error.to_string()))?;
        let what = || {
            let structure = &number.structure;
            format!(
                "{} players, cap {}, seat {}",
                structure.players(),
                structure.cap(),
                number.seat.0
            )
        };
        let outline = Record::outline(&number.structure.strategies(number.seat));
        if outline.is_some_and(|outline| outline != record.without_hash()) {
            return Err(CheckError(format!("{}: length, ends or residue are wrong", what())));
        }
        if record.sha256.is_some() != self.is_computed(number) {
            return Err(CheckError(format!("{}: the digest is not as asked for", what())));
        }
        Ok(())
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let numbers = self.numbers();
        let len = numbers.len();
        let array = sink.array(RECORDS, ElementType::U8, &[len as u64, RECORD_BYTES as u64])?;
        let mut rows = Vec::with_capacity(len);
        let mut longest = 0;
        for (index, number) in numbers.iter().enumerate().take(plan.slices().len()) {
            let payload =
                payloads.next().ok_or_else(|| io::Error::other("results are missing"))??;
            sink.write_at(array, (index * RECORD_BYTES) as u64, &payload)?;
            let record = Record::from_bytes(&payload).map_err(io::Error::other)?;
            longest = longest.max(record.digits);
            rows.push(record.row(&number.structure, number.seat));
        }
        let computed = numbers.iter().filter(|number| self.is_computed(number)).count();
        sink.table("strategies", &HEADER, &mut rows.into_iter())?;
        sink.fact("structures", json!(self.structures().count()));
        sink.fact("numbers", json!(len));
        sink.fact("computed", json!(computed));
        sink.fact("most_digits", json!(longest.to_string()));
        sink.fact("residue_modulus", json!(MODULUS.to_string()));
        Ok(())
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let [players, cap, position] = question else {
            let words = question.len();
            return Err(QueryError::Question(format!(
                "{words} words given: players, cap, and a seat or position are right, e.g. 6 4 BB"
            )));
        };
        let wrong = |error: String| QueryError::Question(error);
        let number = |text: &String| {
            text.parse::<u64>()
                .map_err(|_| wrong(format!("'{text}' is no number: players and cap are")))
        };
        let structure = Preflop::new(number(players)?, number(cap)?)
            .map_err(|error| wrong(error.to_string()))?
            .with_fold_when_free(self.largest.fold_when_free());
        let seat = structure
            .seat_named(position, Order::FirstToAct)
            .map_err(|error| wrong(error.to_string()))?;
        let known = self.numbers().iter().position(|n| n.structure == structure && n.seat == seat);
        let index = known.ok_or_else(|| {
            let (players, cap) = (self.largest.players(), self.largest.cap());
            wrong(format!("the run ends at {players} players and cap {cap}"))
        })?;
        let record = self.read(artifact, index)?;
        let mut answer = Map::new();
        answer.insert("players".to_owned(), json!(structure.players()));
        answer.insert("cap".to_owned(), json!(structure.cap()));
        answer.insert("seat".to_owned(), json!(seat.0));
        answer.insert("position".to_owned(), json!(structure.position_name(seat)));
        answer.insert("digits".to_owned(), json!(record.digits.to_string()));
        answer.insert("sha256".to_owned(), json!(record.sha256.map(|hash| hex(&hash))));
        answer.insert("first20".to_owned(), json!(record.first20));
        answer.insert("last20".to_owned(), json!(record.last20));
        answer.insert("residue_modulus".to_owned(), json!(MODULUS.to_string()));
        answer.insert("residue".to_owned(), json!(record.residue.to_string()));
        Ok(answer)
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
        if pictures::KINDS.iter().all(|known| known.name != kind) {
            return Err(QueryError::no_picture(kind, pictures::KINDS));
        }
        let numbers = self.numbers();
        (context.progress)(numbers.len() as u64);
        let big_blinds = numbers
            .iter()
            .enumerate()
            .filter(|(_, number)| number.seat == pictures::big_blind(&number.structure));
        let lengths = big_blinds
            .map(|(index, number)| {
                let record = self.read(artifact, index)?;
                Ok(Length::new(&number.structure, record.digits, &record.first20))
            })
            .collect::<Result<Vec<_>, QueryError>>()?;
        Ok(pictures::picture(&lengths, self.largest.fold_when_free()))
    }

    /// Small trees are walked; of larger ones, the number is computed product by product.
    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        let numbers = self.numbers();
        let mut report = VerifyReport::default();
        for index in sample.draw(numbers.len() as u64) {
            let index = index as usize;
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let number = &numbers[index];
            let stored = self.read(artifact, index)?;
            let program = number.structure.strategies(number.seat);
            let walked = number.structure.counts(number.seat).terminals <= WALKED_TERMINALS;
            let computed = match (self.is_computed(number), walked) {
                (true, true) => {
                    Some(Record::of_number(&walk::strategies(&number.structure, number.seat)))
                }
                (true, false) => Some(Record::of_number(&exact(&program))),
                (false, _) => Record::outline(&program),
            };
            (context.progress)(1);
            report.add((computed.as_ref() != Some(&stored)).then(|| {
                let (players, cap) = (number.structure.players(), number.structure.cap());
                let seat = number.seat.0;
                format!(
                    "{players} players, cap {cap}, seat {seat}: artifact {stored:?}, walked {computed:?}"
                )
            }));
        }
        Ok(report)
    }
}
