//! Weights of boards judged by ranks alone: how many boards show given ranks, by what is left in the deck.

use fulldeck_cards::RANKS;
use fulldeck_eval::arch::RunWeights;
use fulldeck_eval::lanes::{CHUNK, LOW_RANKS, Lanes, RUNS, Run};

const CHOOSE: [[u16; 5]; 5] =
    [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]];

/// Factors of all inner and outer parts for every way in which two hands can thin out one half of the ranks.
pub(crate) struct HalfWeights {
    low: Half,
    high: Half,
    runs: [Run; 6],
}

struct Half {
    /// Position in `factors` by counts in base five, `u32::MAX` where two hands cannot hold that many.
    position: Vec<u32>,
    /// Factors of one way after another.
    factors: Vec<u16>,
    /// For each run, where the factors of this half's part begin within a way.
    starts: [usize; 6],
    /// Factors of one way.
    size: usize,
}

impl HalfWeights {
    /// For two hands of `cards` cards.
    pub(crate) fn new(lanes: &Lanes, cards: usize) -> Self {
        let runs = lanes.runs();
        Self {
            low: Half::new(0, LOW_RANKS, cards, &runs, true),
            high: Half::new(LOW_RANKS, RANKS - LOW_RANKS, cards, &runs, false),
            runs,
        }
    }

    /// Weights when `held` cards of each rank are gone, at most four of each.
    pub(crate) fn fill(&self, held: &[u8; RANKS], weights: &mut RunWeights) {
        let (low_held, high_held) = held.split_at(LOW_RANKS);
        let (low, high) = (self.low.factors(low_held), self.high.factors(high_held));
        let (mut inner_at, mut outer_at) = (0, 0);
        for (index, run) in self.runs.iter().enumerate() {
            let low = &low[self.low.starts[index]..];
            let high = &high[self.high.starts[index]..];
            let (inner, outer) = if run.inner_is_low { (low, high) } else { (high, low) };
            let (chunks, repeats) = RUNS[index];
            for chunk in 0..chunks {
                weights.inner[inner_at + chunk].0.copy_from_slice(&inner[chunk * CHUNK..][..CHUNK]);
            }
            weights.outer[outer_at..outer_at + repeats].copy_from_slice(&outer[..repeats]);
            inner_at += chunks;
            outer_at += repeats;
        }
    }
}

impl Half {
    fn new(first: usize, ranks: usize, cards: usize, runs: &[Run; 6], is_low: bool) -> Self {
        let parts: Vec<&Vec<Vec<u8>>> = runs
            .iter()
            .map(|run| if run.inner_is_low == is_low { &run.inner } else { &run.outer })
            .collect();
        let padded = |parts: &Vec<Vec<u8>>| parts.len().next_multiple_of(CHUNK);
        let mut starts = [0; 6];
        let mut size = 0;
        for (start, parts) in starts.iter_mut().zip(&parts) {
            *start = size;
            size += padded(parts);
        }
        let mut position = vec![u32::MAX; 5usize.pow(ranks as u32)];
        let mut factors = Vec::new();
        for (code, position) in position.iter_mut().enumerate() {
            let held: Vec<usize> =
                (0..ranks).map(|rank| code / 5usize.pow(rank as u32) % 5).collect();
            if held.iter().sum::<usize>() > 2 * cards {
                continue;
            }
            *position = (factors.len() / size) as u32;
            for parts in &parts {
                let end = factors.len() + padded(parts);
                factors.extend(parts.iter().map(|part| {
                    // Ranks of a part are ascending, equal ones together.
                    part.chunk_by(|a, b| a == b)
                        .map(|same| CHOOSE[4 - held[usize::from(same[0]) - first]][same.len()])
                        .product::<u16>()
                }));
                factors.resize(end, 0);
            }
        }
        Self { position, factors, starts, size }
    }

    fn factors(&self, held: &[u8]) -> &[u16] {
        let code = held.iter().rev().fold(0, |code, count| 5 * code + usize::from(*count));
        let position = self.position[code];
        assert!(position != u32::MAX, "two hands hold at most twice their cards");
        &self.factors[position as usize * self.size..][..self.size]
    }
}
