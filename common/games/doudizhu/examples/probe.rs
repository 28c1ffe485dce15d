use fulldeck_doudizhu::agents::improved::ImprovedPlayer;
use fulldeck_doudizhu::agents::seed::SeedPlayer;
use fulldeck_doudizhu::agents::*;
use fulldeck_doudizhu::game::*;
use fulldeck_doudizhu::moves::RuleSet;
use std::time::Instant;
/// Duplicate deals: seed/seed base, improved as landlord, improved as farmers; decision times.
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (from, n, think) = (args[0], args[1], args[2] as u32);
    let mut seed = SeedPlayer::default();
    let mut imp = ImprovedPlayer::new(think);
    let (mut base, mut as_l, mut as_f) = (0, 0, 0);
    let (mut decisions, mut spent, mut worst) = (0u64, 0.0, 0.0f64);
    for i in from..from + n {
        let deal = deals(1, i).next().unwrap();
        for mode in 0..3 {
            let mut g = Game::new(
                deal.with_landlord(Seat::new(0)),
                deal.bottom,
                Seat::new(0),
                RuleSet::STRICT,
            );
            let mut r = Random::stream(1, b"fulldeck doudizhu plays\0", i * 8 + mode);
            let won = loop {
                if let Some(s) = g.score() {
                    break s.landlord_won;
                }
                let v = g.view();
                let me = (mode == 1) == (v.role() == Role::Landlord) && mode > 0;
                let d = if me {
                    let t = Instant::now();
                    let d = imp.decide(&v, &mut r);
                    let e = t.elapsed().as_secs_f64();
                    decisions += 1;
                    spent += e;
                    worst = worst.max(e);
                    d
                } else {
                    seed.decide(&v)
                };
                g.play(d.play).unwrap();
            };
            match mode {
                0 => base += won as u32,
                1 => as_l += won as u32,
                _ => as_f += won as u32,
            }
        }
    }
    let p = |x: u32| 100.0 * x as f64 / n as f64;
    println!(
        "think {think}: landlord wins: seed/seed {:.1} improved/seed {:.1} (+{:.1}) seed/improved {:.1} (+{:.1}); {:.2} ms a decision, worst {:.1} ms, {} decisions",
        p(base),
        p(as_l),
        p(as_l) - p(base),
        p(as_f),
        p(base) - p(as_f),
        spent / decisions as f64 * 1e3,
        worst * 1e3,
        decisions
    );
}
