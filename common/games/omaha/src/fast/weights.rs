//! Weights of boards judged by ranks alone: how many boards show given ranks, by what is left in the deck.

use fulldeck_cards::RANKS;
use fulldeck_eval::arch::{RunWeights, Words};
use fulldeck_eval::lanes::{CHUNK, LOW_RANKS, Lanes, RUNS, Run};

const CHOOSE: [[u16; 5]; 5] =
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]];

/// Factors of all inner and outer parts for every way in which two hands can thin out one half of the ranks.
pub(crate) struct HalfWeights {
    low: Half,
    high: Half,
    /// For each run, whether its inner part has the low ranks.
    inner_is_low: [bool; RUNS.len()],
}

struct Half {
    /// Position in `factors` by counts in base five, `u32::MAX` where two hands cannot hold that many.
    position: Vec<u32>,
    /// Factors of one way after another, in chunks.
    factors: Vec<Words>,
    /// For each run, where the chunks of this half's part begin within a way; and where all end.
    starts: [usize; RUNS.len() + 1],
}

impl HalfWeights {
    /// For two hands of `cards` cards.
    pub(crate) fn new(lanes: &Lanes, cards: usize) -> Self {
        let runs = lanes.runs();
        Self {
            low: Half::new(0, LOW_RANKS, cards, &runs, true),
            high: Half::new(LOW_RANKS, RANKS - LOW_RANKS, cards, &runs, false),
            inner_is_low: runs.map(|run| run.inner_is_low),
        }
    }

    /// Weights when `held` cards of each rank are gone, at most four of each.
    pub(crate) fn of(&self, held: &[u8; RANKS]) -> RunWeights<'_> {
        let (low_held, high_held) = held.split_at(LOW_RANKS);
        let (low, high) = (self.low.factors(low_held), self.high.factors(high_held));
        let mut weights = RunWeights { inner: [&[]; RUNS.len()], outer: [&[]; RUNS.len()] };
        for (run, inner_is_low) in self.inner_is_low.into_iter().enumerate() {
            let low = &low[self.low.starts[run]..self.low.starts[run + 1]];
            let high = &high[self.high.starts[run]..self.high.starts[run + 1]];
            let (inner, outer) = if inner_is_low { (low, high) } else { (high, low) };
            weights.inner[run] = inner;
            // The outer parts of every run fit one chunk.
            weights.outer[run] = &outer[0].0;
        }
        weights
    }
}

impl Half {
    fn new(first: usize, ranks: usize, cards: usize, runs: &[Run; 6], is_low: bool) -> Self {
        let parts: Vec<&Vec<Vec<u8>>> = runs
            .iter()
            .map(|run| if run.inner_is_low == is_low { &run.inner } else { &run.outer })
            .collect();
        let mut starts = [0; RUNS.len() + 1];
        for (run, parts) in parts.iter().enumerate() {
            starts[run + 1] = starts[run] + parts.len().div_ceil(CHUNK);
        }
        let size = starts[RUNS.len()];
        let mut position = vec![u32::MAX; 5usize.pow(ranks as u32)];
        let mut factors = Vec::new();
        for (code, position) in position.iter_mut().enumerate() {
            let held: Vec<usize> =
                (0..ranks).map(|rank| code / 5usize.pow(rank as u32) % 5).collect();
            if held.iter().sum::<usize>() > 2 * cards {
                continue;
            }
            *position = (factors.len() / size) as u32;
            // Ranks of a part are ascending, equal ones together.
            let factor = |part: &Vec<u8>| -> u16 {
                part.chunk_by(|a, b| a == b)
                    .map(|same| CHOOSE[4 - held[usize::from(same[0]) - first]][same.len()])
                    .product()
            };
            for chunk in parts.iter().flat_map(|parts| parts.chunks(CHUNK)) {
                let mut words = Words::default();
                words.0.iter_mut().zip(chunk).for_each(|(word, part)| *word = factor(part));
                factors.push(words);
            }
        }
        Self { position, factors, starts }
    }

    fn factors(&self, held: &[u8]) -> &[Words] {
        let code = held.iter().rev().fold(0, |code, count| 5 * code + usize::from(*count));
        let position = self.position[code];
        assert!(position != u32::MAX, "two hands hold at most twice their cards");
        let size = self.starts[RUNS.len()];
        &self.factors[position as usize * size..][..size]
    }
}
