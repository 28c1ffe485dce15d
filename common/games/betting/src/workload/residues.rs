//! Task `residues`: one long number. A row is a cell of primes, with the number's residue for each; the merge puts the
//! number together.
//!
//! On one machine computing the number outright is faster. Residues are another path to the same number, and cut into
//! as many slices as there are workers.

use std::io::{self, Write};

use fulldeck_job::{
    ArrayId, ArtifactSink, ArtifactSource, CheckError, Computation, ComputeContext, ComputeError,
    ElementType, Estimate, Job, JobIndex, Plan, PlanError, QueryError, Sample, Slice, SliceId,
    VerifyReport, WorkloadError, random,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::primes::{CELL_PRIMES, MAX_CELLS, bounds, is_prime, primes};
use super::remainders::{Residue, number};
use crate::decimal::{Decimal, mul_mod};
use crate::digest::Digest;
use crate::preflop::{Preflop, Seat};
use crate::program::{LaneProgram, Program, estimate, residue};

/// Bytes of a prime and its residue.
const ENTRY_BYTES: usize = 16;
/// Bytes of a row.
const ROW_BYTES: usize = CELL_PRIMES * ENTRY_BYTES;
/// Moduli that are computed with at a time.
const LANES: usize = 8;
/// Primes beyond those the number is made of: it must have their residues.
const CHECK_PRIMES: usize = 2;
/// Longest number, in digits: the merge holds it and its products in memory.
const MAX_DIGITS: u128 = 100_000_000;
/// Cost of finding a prime, in modular multiplications.
const PRIME_COST: u64 = 1_500;
/// Cost of a slice when the planner may choose: a fifth of a second or so of one core.
const SLICE_COST: u64 = 50_000_000;
/// Most rows of a slice: 16 MiB of result.
const MAX_ROWS: u32 = (16 << 20) / ROW_BYTES as u32;
/// Rows between two whose first residue is computed again when a result is checked.
const CHECKED_ROWS: usize = 16;
/// The array of digits, as ASCII.
const DECIMAL: &str = "decimal";
/// Digits read from it at once.
const READ_BYTES: usize = 18 << 10;
/// Most digits that a question is answered with.
const MAX_ANSWER_DIGITS: u64 = 1_000;
/// Most moduli by which an artifact is verified.
const MAX_VERIFY_MODULI: f64 = 64.0;

/// The number of strategies of one seat.
pub(super) struct ResiduesRun {
    structure: Preflop,
    seat: Seat,
    program: Program,
    lanes: LaneProgram,
    digits: u64,
    /// Primes whose product exceeds the number by more than 2^64.
    wanted: usize,
}

impl ResiduesRun {
    pub(super) fn new(structure: Preflop, seat: Seat) -> Result<Self, WorkloadError> {
        let program = structure.strategies(seat);
        let known = estimate(&program).map(|known| known.digits);
        let digits = known.filter(|digits| *digits <= MAX_DIGITS).ok_or_else(|| {
            let digits =
                known.map_or("an unknown number of".to_owned(), |digits| digits.to_string());
            WorkloadError::Refused(format!(
                "the number has {digits} digits, more than the {MAX_DIGITS} that are put together; \
                 fulldeck betting size, residue and dag work for any length"
            ))
        })? as u64;
        // A digit has less than 3.3220 bits, a prime more than 61.99.
        let bits = (digits * 33_220).div_ceil(10_000) + 64;
        let wanted = (bits * 100).div_ceil(6_199) as usize;
        let lanes = LaneProgram::new(&program);
        Ok(Self { structure, seat, program, lanes, digits, wanted })
    }

    fn rows(&self) -> u32 {
        // One row more than full rows need: a cell may have fewer primes than are taken.
        let rows = (self.wanted + CHECK_PRIMES).div_ceil(CELL_PRIMES) as u32 + 1;
        assert!(rows <= MAX_CELLS, "the length is bounded");
        rows
    }

    fn row_cost(&self) -> u64 {
        CELL_PRIMES as u64 * (self.lanes.multiplications() + PRIME_COST)
    }

    fn compute_row(&self, row: u32) -> Vec<u8> {
        let primes = primes(row);
        let mut bytes = Vec::with_capacity(ROW_BYTES);
        let mut scratch = Vec::new();
        for chunk in primes.chunks(LANES) {
            let moduli = std::array::from_fn(|lane| *chunk.get(lane).unwrap_or(&chunk[0]));
            let residues = self.lanes.residues::<LANES>(moduli, &mut scratch);
            for (prime, residue) in chunk.iter().zip(residues) {
                bytes.extend_from_slice(&prime.to_le_bytes());
                bytes.extend_from_slice(&residue.to_le_bytes());
            }
        }
        bytes.resize(ROW_BYTES, 0);
        bytes
    }

    /// Reads the digits in pieces, the first ones first.
    fn read_digits(
        &self,
        artifact: &dyn ArtifactSource,
        mut take: impl FnMut(&[u8]) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        let mut buffer = vec![0; READ_BYTES];
        for first in (0..self.digits).step_by(READ_BYTES) {
            let len = (self.digits - first).min(READ_BYTES as u64) as usize;
            artifact.read_at(DECIMAL, first, &mut buffer[..len])?;
            if !buffer[..len].iter().all(u8::is_ascii_digit) {
                let what = "the array of digits holds something else";
                return Err(QueryError::Artifact(io::Error::new(io::ErrorKind::InvalidData, what)));
            }
            take(&buffer[..len])?;
        }
        Ok(())
    }

    /// The stored number modulo each modulus.
    fn stored_residues(
        &self,
        artifact: &dyn ArtifactSource,
        moduli: &[u64],
    ) -> Result<Vec<u64>, QueryError> {
        let mut residues = vec![0; moduli.len()];
        self.read_digits(artifact, |digits| {
            for piece in digits.chunks(18) {
                let value =
                    piece.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
                let base = 10u64.pow(piece.len() as u32);
                for (residue, modulus) in residues.iter_mut().zip(moduli) {
                    let raised = mul_mod(*residue, base % modulus, *modulus);
                    let sum = u128::from(raised) + u128::from(value);
                    *residue = (sum % u128::from(*modulus)) as u64;
                }
            }
            Ok(())
        })?;
        Ok(residues)
    }
}

/// Primes and residues of a row, up to the padding.
fn entries(row: &[u8]) -> impl Iterator<Item = Residue> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    row.chunks_exact(ENTRY_BYTES)
        .map(move |entry| Residue { modulus: word(&entry[..8]), residue: word(&entry[8..]) })
        .take_while(|entry| entry.modulus != 0)
}

impl Computation for ResiduesRun {
    fn estimate(&self) -> Estimate {
        let rows = u64::from(self.rows());
        let bytes = rows * ROW_BYTES as u64;
        Estimate {
            elements: self.digits,
            // About two nanoseconds a multiplication; the merge has some twenty levels of products.
            core_seconds: (rows * self.row_cost()) as f64 * 2e-9 + self.digits as f64 * 1.2e-6,
            worker_bytes: 32 << 20,
            store_bytes: bytes,
            artifact_bytes: self.digits,
        }
    }

    fn plan(&self, slice_target: u32) -> Result<Plan, PlanError> {
        let rows = self.rows();
        let slices = match slice_target {
            0 => (u64::from(rows) * self.row_cost()).div_ceil(SLICE_COST) as u32,
            target => target,
        };
        let slice_rows = rows.div_ceil(slices.clamp(1, rows)).min(MAX_ROWS);
        let slices = (0..rows)
            .step_by(slice_rows as usize)
            .enumerate()
            .map(|(id, first_row)| {
                let rows = slice_rows.min(rows - first_row);
                Slice {
                    id: SliceId(id as u32),
                    job: JobIndex(0),
                    first_row,
                    rows,
                    elements: u64::from(rows) * CELL_PRIMES as u64,
                    raw_bytes: u64::from(rows) * ROW_BYTES as u64,
                    cost: u64::from(rows) * self.row_cost(),
                    batch: id as u32,
                }
            })
            .collect();
        let job = Job { name: "residues".to_owned(), family: String::new(), rows };
        Plan::new(vec![job], slices)
    }

    fn compute(
        &self,
        slices: &[Slice],
        context: &ComputeContext<'_>,
    ) -> Result<Vec<Vec<u8>>, ComputeError> {
        slices
            .iter()
            .map(|slice| {
                let rows = slice.first_row..slice.first_row + slice.rows;
                if rows.end > self.rows() {
                    return Err(ComputeError::Invalid(format!("there is no row {}", rows.end - 1)));
                }
                let parts = rows
                    .into_par_iter()
                    .map(|row| {
                        context.poll()?;
                        let bytes = self.compute_row(row);
                        (context.progress)(self.row_cost());
                        Ok(bytes)
                    })
                    .collect::<Result<Vec<_>, ComputeError>>()?;
                Ok(parts.concat())
            })
            .collect()
    }

    /// Moduli are primes of their cells, residues are below them, and some are computed again by other code.
    fn check(&self, slice: &Slice, payload: &[u8]) -> Result<(), CheckError> {
        if payload.len() as u64 != slice.raw_bytes {
            return Err(CheckError(format!(
                "{} bytes instead of {}",
                payload.len(),
                slice.raw_bytes
            )));
        }
        payload.par_chunks(ROW_BYTES).enumerate().try_for_each(|(index, bytes)| {
            let row = slice.first_row + index as u32;
            let wrong = |what: &str| CheckError(format!("row {row}: {what}"));
            let cell = bounds(row);
            let found: Vec<_> = entries(bytes).collect();
            if bytes[found.len() * ENTRY_BYTES..].iter().any(|byte| *byte != 0) {
                return Err(wrong("the padding is not empty"));
            }
            let falling = found.windows(2).all(|pair| pair[0].modulus > pair[1].modulus);
            let fits = |entry: &Residue| {
                cell.contains(&entry.modulus)
                    && entry.modulus % 2 == 1
                    && entry.residue < entry.modulus
                    && is_prime(entry.modulus)
            };
            if !falling || !found.iter().all(fits) {
                return Err(wrong("the moduli are not primes of the cell, or residues too large"));
            }
            let again = found.first().filter(|_| index.is_multiple_of(CHECKED_ROWS));
            match again {
                Some(entry) if residue(&self.program, entry.modulus) != entry.residue => {
                    Err(wrong("a residue is wrong"))
                }
                _ => Ok(()),
            }
        })
    }

    fn assemble(
        &self,
        plan: &Plan,
        payloads: &mut dyn Iterator<Item = io::Result<Vec<u8>>>,
        sink: &mut dyn ArtifactSink,
    ) -> io::Result<()> {
        let mut residues = Vec::with_capacity(self.wanted + CHECK_PRIMES);
        for _ in plan.slices() {
            let payload =
                payloads.next().ok_or_else(|| io::Error::other("results are missing"))??;
            let more = payload.chunks(ROW_BYTES).flat_map(entries);
            residues.extend(more.take(self.wanted + CHECK_PRIMES - residues.len()));
        }
        if residues.len() < self.wanted + CHECK_PRIMES {
            return Err(io::Error::other("the cells have too few primes"));
        }
        let (used, checks) = residues.split_at(self.wanted);
        let value = number(used).map_err(io::Error::other)?;
        let agrees = |check: &Residue| value.residue(check.modulus) == check.residue;
        let mersenne = (1 << 61) - 1;
        if !checks.iter().all(agrees) || value.residue(mersenne) != residue(&self.program, mersenne)
        {
            return Err(io::Error::other("the number does not have the residues of other primes"));
        }
        self.publish(&value, sink)
    }

    fn query(
        &self,
        artifact: &dyn ArtifactSource,
        question: &[String],
    ) -> Result<Map<String, Value>, QueryError> {
        let words: Vec<_> = question.iter().map(String::as_str).collect();
        let wrong = |what: String| QueryError::Question(what);
        let number = |text: &str| {
            let number = text.parse::<u64>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| wrong(format!("'{text}' is no whole number from 1 to 2^64 - 1")))
        };
        let mut answer = Map::new();
        match words[..] {
            ["digits", first, count] => {
                let (first, count) = (number(first)?, number(count)?);
                let fits = first.checked_add(count - 1).is_some_and(|last| last <= self.digits);
                if !fits || count > MAX_ANSWER_DIGITS {
                    return Err(wrong(format!(
                        "at most {MAX_ANSWER_DIGITS} of digits 1 to {} are shown at a time",
                        self.digits
                    )));
                }
                let mut digits = vec![0; count as usize];
                artifact.read_at(DECIMAL, first - 1, &mut digits)?;
                answer.insert("first".to_owned(), json!(first));
                answer.insert("count".to_owned(), json!(count));
                answer.insert("digits".to_owned(), json!(String::from_utf8_lossy(&digits)));
            }
            ["residue", modulus] => {
                let modulus = number(modulus)?;
                let residues = self.stored_residues(artifact, &[modulus])?;
                answer.insert("modulus".to_owned(), json!(modulus.to_string()));
                answer.insert("residue".to_owned(), json!(residues[0].to_string()));
            }
            _ => {
                let what = "'digits FIRST COUNT' or 'residue MODULUS' is right";
                return Err(wrong(what.to_owned()));
            }
        }
        Ok(answer)
    }

    /// The stored digits modulo random numbers, against the program's residues.
    fn verify(
        &self,
        artifact: &dyn ArtifactSource,
        sample: &Sample,
        context: &ComputeContext<'_>,
    ) -> Result<VerifyReport, QueryError> {
        let count = (sample.fraction * MAX_VERIFY_MODULI).ceil().max(1.0) as u64;
        let modulus = |counter| random(sample.seed, counter) | 1 << 63;
        let moduli: Vec<u64> = (0..count).map(modulus).collect();
        let stored = self.stored_residues(artifact, &moduli)?;
        let mut report = VerifyReport::default();
        for (modulus, stored) in moduli.iter().zip(stored) {
            context.poll().map_err(|_| QueryError::Cancelled)?;
            let computed = residue(&self.program, *modulus);
            (context.progress)(1);
            let difference = || format!("modulo {modulus}: artifact {stored}, program {computed}");
            report.add((stored != computed).then(difference));
        }
        Ok(report)
    }
}

impl ResiduesRun {
    fn publish(&self, value: &Decimal, sink: &mut dyn ArtifactSink) -> io::Result<()> {
        let array = sink.array(DECIMAL, ElementType::U8, &[value.digits()])?;
        let digest = Digest::while_writing(value, &mut ArrayWriter { sink, array, written: 0 })?;
        let structure = &self.structure;
        sink.fact("players", json!(structure.players()));
        sink.fact("cap", json!(structure.cap()));
        sink.fact("seat", json!(self.seat.0));
        sink.fact("position", json!(structure.position_name(self.seat)));
        sink.fact("primes", json!(self.wanted));
        sink.fact("digits", json!(digest.digits));
        sink.fact("first20", json!(digest.first20));
        sink.fact("last20", json!(digest.last20));
        sink.fact("sha256", json!(digest.sha256_hex()));
        Ok(())
    }
}

/// Bytes one after another into an array.
struct ArrayWriter<'a> {
    sink: &'a mut dyn ArtifactSink,
    array: ArrayId,
    written: u64,
}

impl Write for ArrayWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write_at(self.array, self.written, bytes)?;
        self.written += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
