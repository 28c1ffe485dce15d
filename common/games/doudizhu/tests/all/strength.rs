//! Agents against agents: deterministic games, so that a change of strength is a change of the program.

use fulldeck_doudizhu::agents::AgentKind;
use fulldeck_doudizhu::arena::{Arena, LandlordBy, Order, Setting};
use fulldeck_doudizhu::game::{AuctionKind, Scoring};
use fulldeck_doudizhu::moves::RuleSet;

/// Share of deals that the landlord wins, by order.
fn rates(a: &str, b: &str, landlord: LandlordBy, deals: u64) -> [f64; 2] {
    let scoring = Scoring::default();
    let setting = Setting { rules: RuleSet::STRICT, scoring, landlord, seed: 5 };
    let agents = [a, b].map(|name| name.parse::<AgentKind>().expect("an agent"));
    let mut arena = Arena::new(setting);
    [Order::First, Order::Second].map(|order| {
        let wins =
            (0..deals).filter(|deal| arena.play(agents, *deal, order).score.landlord_won).count();
        wins as f64 / deals as f64
    })
}

/// Measured by other programs over 1,000 to 9,000 games: within four standard errors of both.
#[test]
fn win_rates_are_the_measured_ones() {
    for (a, b, landlord, expected) in [
        ("seed", "seed", LandlordBy::SeatZero, [0.501, 0.501]),
        ("seed", "random", LandlordBy::SeatZero, [0.921, 0.023]),
        ("random", "random", LandlordBy::SeatZero, [0.354, 0.354]),
        ("seed", "seed", LandlordBy::Auction(AuctionKind::Bid), [0.647, 0.647]),
    ] {
        let found = rates(a, b, landlord, 2_000);
        for (found, expected) in found.into_iter().zip(expected) {
            let error = (expected * (1.0 - expected) / 2_000.0_f64).sqrt();
            assert!((found - expected).abs() < 4.0 * error + 0.01, "{a} {b}: {found}");
        }
    }
}

/// The same deals: `improved` in `seed`'s place, as landlord and as both farmers.
#[test]
fn improved_is_clearly_stronger_than_seed() {
    const DEALS: u64 = 100;
    let [base, _] = rates("seed", "seed", LandlordBy::SeatZero, DEALS);
    let [as_landlord, as_farmers] = rates("improved", "seed", LandlordBy::SeatZero, DEALS);
    assert!(as_landlord >= base + 0.08, "as landlord {as_landlord}, seed {base}");
    assert!(as_farmers <= base - 0.08, "against it {as_farmers}, against seed {base}");
}
