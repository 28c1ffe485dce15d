//! Sums over games, and what they say.

use super::record::GameRecord;

/// Two-sided 95 % of the normal distribution.
const Z: f64 = 1.959_964;

/// Sums over the games of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Games {
    pub(super) games: u64,
    pub(super) landlord_wins: u64,
    /// Of the landlord's score.
    pub(super) score: i64,
    pub(super) springs: u64,
    pub(super) bombs: u64,
    pub(super) illegal: u64,
    pub(super) thrown_in: u64,
}

/// A sum and the sum of squares, of whole numbers: exact in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moments {
    count: u64,
    sum: i128,
    squares: u128,
}

/// Sums over the deals of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// By order.
    pub(super) orders: [Games; 2],
    /// Games the first agent won of a deal, less those the second won.
    pub(super) wins: Moments,
    /// What the first agent's side of the table won over both games.
    pub(super) score: Moments,
}

/// An estimate and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) estimate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Games {
    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.landlord_wins += u64::from(game.landlord_won());
        self.score += i64::from(game.score);
        self.springs += u64::from(game.spring);
        self.bombs += u64::from(game.bombs);
        self.illegal += u64::from(game.illegal);
        self.thrown_in += u64::from(game.thrown_in);
    }

    /// The landlord's win rate with the Wilson interval.
    pub(super) fn win_rate(&self) -> Interval {
        wilson(self.landlord_wins, self.games)
    }
}

impl Moments {
    fn add(&mut self, value: i64) {
        self.count += 1;
        self.sum += i128::from(value);
        self.squares += u128::from(value.unsigned_abs()) * u128::from(value.unsigned_abs());
    }

    /// Mean with the normal interval.
    pub(super) fn mean(&self) -> Interval {
        let count = self.count.max(1) as f64;
        let mean = self.sum as f64 / count;
        let variance = (self.squares as f64 / count - mean * mean).max(0.0);
        let half = Z * (variance / count).sqrt();
        Interval { estimate: mean, low: mean - half, high: mean + half }
    }
}

impl Tally {
    pub(super) fn add(&mut self, games: &[GameRecord; 2]) {
        for (order, game) in self.orders.iter_mut().zip(games) {
            order.add(game);
        }
        let won = |game: &GameRecord| if game.landlord_won() { 1 } else { -1 };
        self.wins.add((won(&games[0]) - won(&games[1])) / 2);
        self.score.add(i64::from(games[0].score) - i64::from(games[1].score));
    }
}

/// Wilson's interval of `wins` out of `games`.
pub(super) fn wilson(wins: u64, games: u64) -> Interval {
    let n = games.max(1) as f64;
    let rate = wins as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let centre = (rate + Z * Z / (2.0 * n)) / scale;
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    Interval { estimate: rate, low: centre - half, high: centre + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_as_wide_as_published() {
        let half = |games: u64| {
            let interval = wilson(games / 2, games);
            (interval.high - interval.low) / 2.0
        };
        assert!((half(9_604) - 0.01).abs() < 1e-5);
        assert!((half(106_711) - 0.003).abs() < 1e-5);
        assert!((half(960_400) - 0.001).abs() < 1e-6);
        let none = wilson(0, 10);
        assert!(none.low.abs() < 1e-12 && none.high > 0.2);
    }

    #[test]
    fn the_difference_of_a_deal_is_from_the_first_agents_side() {
        let game = |score: i32| GameRecord { score, ..GameRecord::default() };
        let mut tally = Tally::default();
        // First as landlord wins 4; as farmers it makes the second lose 2.
        tally.add(&[game(4), game(-2)]);
        tally.add(&[game(-2), game(-2)]);
        assert_eq!(tally.wins.mean().estimate, 0.5);
        assert_eq!(tally.score.mean().estimate, 3.0);
        assert_eq!(tally.orders[0].landlord_wins, 1);
        assert_eq!(tally.orders[0].score, 2);
    }
}
