//! Counter-based randomness: what is drawn for a deal depends on its number alone, so that any cut of a run draws the same.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// A stream of ChaCha8.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Stream number `stream` of a seed, for one `purpose`: the key is the seed, little endian, and the purpose.
    #[must_use]
    pub fn stream(seed: u64, purpose: &[u8; 24], stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(purpose);
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Self(generator)
    }

    /// A number below `bound`, every one equally likely.
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below zero");
        // Of the 2^32 words only a multiple of `bound` counts; the few beyond are drawn again.
        let unfair = u32::MAX - (u32::MAX % bound + 1) % bound;
        loop {
            let word = self.0.next_u32();
            if word <= unfair {
                return word % bound;
            }
        }
    }

    /// Puts a list in random order (Fisher-Yates, from the end).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PURPOSE: &[u8; 24] = b"a test of random streams";

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, stream| {
            let mut random = Random::stream(seed, PURPOSE, stream);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
    }

    #[test]
    fn every_order_of_four_is_about_equally_frequent() {
        let mut seen = std::collections::BTreeMap::new();
        let mut random = Random::stream(7, PURPOSE, 0);
        for _ in 0..24_000 {
            let mut list = [0, 1, 2, 3];
            random.shuffle(&mut list);
            *seen.entry(list).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 24);
        // Six standard deviations around 1,000.
        assert!(seen.values().all(|count| (815..1185).contains(count)), "{seen:?}");
    }
}
