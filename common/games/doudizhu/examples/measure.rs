use fulldeck_doudizhu::agents::AgentKind;
use fulldeck_doudizhu::arena::*;
use fulldeck_doudizhu::endgame::*;
use fulldeck_doudizhu::game::*;
use fulldeck_doudizhu::moves::RuleSet;
use std::time::Instant;
fn main() {
    let what: Vec<String> = std::env::args().collect();
    match what[1].as_str() {
        "arena" => {
            let a: AgentKind = what[2].parse().unwrap();
            let b: AgentKind = what[3].parse().unwrap();
            let n: u64 = what[4].parse().unwrap();
            let landlord = if what.get(5).is_some() {
                LandlordBy::Auction(AuctionKind::Bid)
            } else {
                LandlordBy::SeatZero
            };
            let s =
                Setting { rules: RuleSet::STRICT, scoring: Scoring::default(), landlord, seed: 1 };
            let mut arena = Arena::new(s, [a, b]);
            let from: u64 = std::env::var("FROM").ok().and_then(|f| f.parse().ok()).unwrap_or(0);
            for order in [Order::First, Order::Second] {
                let t = Instant::now();
                let (mut wins, mut turns, mut illegal, mut thrown) = (0, 0, 0, 0);
                for i in from..from + n {
                    let p = arena.play(i, order);
                    wins += p.score.landlord_won as u32;
                    turns += p.game.turns().len();
                    illegal += p.illegal;
                    thrown += p.thrown_in;
                }
                let e = t.elapsed().as_secs_f64();
                println!(
                    "{order:?} landlord wins {:.4} {:.0} games/s {:.1} turns {:.2} us/turn illegal {illegal} thrown {thrown}",
                    wins as f64 / n as f64,
                    n as f64 / e,
                    turns as f64 / n as f64,
                    e / turns as f64 * 1e6
                );
            }
        }
        _ => {
            let mut s = Solver::default();
            for cards in 5..=9 {
                let n = if cards < 9 { 200 } else { 20 };
                let t = Instant::now();
                let (mut nodes, mut most, mut un, mut slow) = (0, 0, 0, 0.0f64);
                for i in 0..n {
                    let t = Instant::now();
                    let r = s.solve(&random_position(1, i, cards), 1 << 24);
                    slow = slow.max(t.elapsed().as_secs_f64());
                    nodes += r.nodes;
                    most = most.max(r.nodes);
                    un += r.landlord_wins.is_none() as u32;
                }
                println!(
                    "{cards} cards: {:.3} ms avg, {:.1} ms worst, {} nodes avg, {most} most, {un} unfinished",
                    t.elapsed().as_secs_f64() * 1e3 / n as f64,
                    slow * 1e3,
                    nodes / n
                );
            }
        }
    }
}
