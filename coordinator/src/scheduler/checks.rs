//! Results that count only once another host has found the same.

use fulldeck_job::{Digest, Fingerprint};

use super::ADAPTIVE_TRUST;

/// Which results are computed a second time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Validation {
    /// None; every result passes the checks of its workload all the same.
    #[default]
    Off,
    /// This share of the batches, chosen so that workers cannot know it.
    Spot(f64),
    /// All, until so many results are equal; at least 2.
    Quorum(u8),
    /// Those of hosts that have not brought ten good results in a row; of the others ever fewer, down to one in a hundred.
    Adaptive,
}

impl Validation {
    /// Equal results that make one count.
    pub(super) fn needed(self) -> usize {
        match self {
            Self::Quorum(equal) => usize::from(equal).max(2),
            Self::Off | Self::Spot(_) | Self::Adaptive => 2,
        }
    }

    /// Whether a result of this batch is checked. `secret` is known to nobody else; `good_in_row` are results of the
    /// host that nothing was said against.
    pub(super) fn wants(
        self,
        secret: &[u8; 32],
        run: &Fingerprint,
        batch: u32,
        good_in_row: u64,
    ) -> bool {
        let share = match self {
            Self::Off => 0.0,
            Self::Spot(share) => share,
            Self::Quorum(_) => 1.0,
            Self::Adaptive if good_in_row < ADAPTIVE_TRUST => 1.0,
            Self::Adaptive => (1.0 / good_in_row as f64).max(0.01),
        };
        draw(secret, run, batch) < share
    }
}

/// A number from 0 to 1 that depends on all of these.
fn draw(secret: &[u8; 32], run: &Fingerprint, batch: u32) -> f64 {
    let mut bytes = [0; 68];
    bytes[..32].copy_from_slice(secret);
    bytes[32..64].copy_from_slice(&run.0);
    bytes[64..].copy_from_slice(&batch.to_le_bytes());
    let digest = Digest::of(&bytes).0;
    let word = u64::from_le_bytes(std::array::from_fn(|at| digest[at]));
    (word >> 11) as f64 / (1u64 << 53) as f64
}

/// Who found what, for a slice whose result is stored and doubted.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubt {
    votes: Vec<(String, Digest)>,
}

/// What the votes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// More are needed.
    Open,
    /// This digest is right; the hosts that found another one.
    Right(Digest, Vec<String>),
    /// Nobody agrees with anybody.
    Hopeless,
}

impl Doubt {
    pub(super) fn new(host: &str, digest: Digest) -> Self {
        Self { votes: vec![(host.to_owned(), digest)] }
    }

    pub(super) fn vote(&mut self, host: &str, digest: Digest) {
        self.votes.push((host.to_owned(), digest));
    }

    pub(super) fn votes(&self) -> &[(String, Digest)] {
        &self.votes
    }

    /// Whether this host has said what it found.
    pub(super) fn has_vote_of(&self, host: &str) -> bool {
        self.votes.iter().any(|(voter, _)| voter == host)
    }

    /// Whether results differ.
    pub(super) fn is_dispute(&self) -> bool {
        self.votes.iter().any(|(_, digest)| *digest != self.votes[0].1)
    }

    /// Equal votes of one host alone.
    pub(super) fn is_same_host(&self) -> bool {
        self.votes.iter().all(|(host, _)| *host == self.votes[0].0)
    }

    pub(super) fn verdict(&self, needed: usize) -> Verdict {
        let count = |digest: Digest| self.votes.iter().filter(|(_, one)| *one == digest).count();
        let right = self.votes.iter().map(|(_, digest)| *digest).find(|one| count(*one) >= needed);
        match right {
            Some(right) => {
                let wrong = self.votes.iter().filter(|(_, digest)| *digest != right);
                Verdict::Right(right, wrong.map(|(host, _)| host.clone()).collect())
            }
            None if self.votes.len() > needed => Verdict::Hopeless,
            None => Verdict::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_kept_and_cannot_be_known_without_the_secret() {
        let run = Fingerprint::of(b"run");
        let chosen = |secret, validation: Validation, good| {
            (0..10_000).filter(|batch| validation.wants(&secret, &run, *batch, good)).count()
        };
        assert_eq!(chosen([1; 32], Validation::Off, 0), 0);
        assert_eq!(chosen([1; 32], Validation::Quorum(2), 0), 10_000);
        assert_eq!(chosen([1; 32], Validation::Adaptive, 9), 10_000);
        assert!((400..600).contains(&chosen([1; 32], Validation::Spot(0.05), 0)));
        assert!((400..600).contains(&chosen([1; 32], Validation::Adaptive, 20)));
        assert!((60..140).contains(&chosen([1; 32], Validation::Adaptive, 1_000_000)));
        let batches = |secret| {
            let wants = move |batch: &u32| Validation::Spot(0.05).wants(&secret, &run, *batch, 0);
            (0..1_000).filter(wants).collect::<Vec<_>>()
        };
        assert_ne!(batches([1; 32]), batches([2; 32]));
    }

    #[test]
    fn the_third_host_decides() {
        let (one, two, three) = (Digest::of(b"1"), Digest::of(b"2"), Digest::of(b"3"));
        let mut doubt = Doubt::new("a", one);
        assert_eq!(doubt.verdict(2), Verdict::Open);
        doubt.vote("b", two);
        assert!(doubt.is_dispute());
        assert_eq!(doubt.verdict(2), Verdict::Open);
        let mut late = doubt.clone();
        doubt.vote("c", two);
        assert_eq!(doubt.verdict(2), Verdict::Right(two, vec!["a".to_owned()]));
        late.vote("c", three);
        assert_eq!(late.verdict(2), Verdict::Hopeless);
    }
}
