//! Hold'em's game of 169 hands against a dense solver that does everything the plain way.

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use fulldeck_cards::{Clusters, parse_hand};
use fulldeck_eval::arch::Backend;
use fulldeck_job::{Computation, ComputeContext, JobIndex};
use proptest::prelude::*;

use super::*;
use crate::matrix::tests::{Memory, assembled, run};

const HANDS: usize = 169;
const ENOUGH: u64 = 1 << 30;

static ARTIFACT: LazyLock<Memory> = LazyLock::new(|| assembled(&run(2), None));

fn context() -> ComputeContext<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    ComputeContext { cancel: &NEVER, progress: &|_| () }
}

fn load(backend: Backend) -> Payoffs {
    Payoffs::load(&*ARTIFACT, 2, backend, ENOUGH, &context()).unwrap()
}

/// Every pair of hands: how many, and how many of them the first wins more than it loses.
struct Dense {
    pairs: Vec<f64>,
    lead: Vec<f64>,
    orbits: Vec<f64>,
}

static DENSE: LazyLock<Dense> = LazyLock::new(|| {
    let stored_run = run(2);
    let clusters = Clusters::new(2);
    let names: Vec<String> =
        clusters.as_slice().iter().map(|cluster| cluster.representative().to_string()).collect();
    let orbits: Vec<f64> = clusters.as_slice().iter().map(|c| c.orbit().into()).collect();
    let (mut pairs, mut lead) = (Vec::new(), Vec::new());
    for (a, orbit) in names.iter().zip(&orbits) {
        for b in &names {
            let answer = stored_run.query(&*ARTIFACT, &[a.clone(), b.clone()]).unwrap();
            let count = |name: &str| answer[name].as_u64().unwrap() as f64;
            pairs.push(orbit * count("n"));
            lead.push(orbit * (count("win") - count("lose")) / count("boards"));
        }
    }
    Dense { pairs, lead, orbits }
});

impl Dense {
    /// What pushing and folding, calling and passing win for each hand, over all hands it meets.
    fn worths(&self, stakes: &Stakes, strategies: &Strategies) -> [Vec<f64>; 4] {
        let mut worths = [const { Vec::new() }; 4];
        for hand in 0..HANDS {
            let mut worth = [0.0; 4];
            for other in 0..HANDS {
                let pairs = self.pairs[hand * HANDS + other];
                let won = self.lead[hand * HANDS + other] * stakes.called();
                let (call, push) = (strategies.call[other], strategies.push[other]);
                worth[0] += call * won + (1.0 - call) * pairs * stakes.uncalled();
                worth[1] -= pairs * stakes.folded();
                worth[2] += push * won;
                worth[3] -= push * pairs * stakes.uncalled();
            }
            worths.iter_mut().zip(worth).for_each(|(all, one)| all.push(one));
        }
        worths
    }

    fn met(&self, hand: usize) -> f64 {
        self.orbits[hand] * 1_225.0
    }

    /// Plain counterfactual regret minimisation, averages weighted by the step.
    fn solve(&self, stakes: &Stakes, steps: u32) -> Strategies {
        let mut now = Strategies { push: vec![0.5; HANDS], call: vec![0.5; HANDS] };
        let mut average = Strategies { push: vec![0.0; HANDS], call: vec![0.0; HANDS] };
        let mut regrets = vec![[0.0f64; 4]; HANDS];
        let mut weights = 0.0;
        for step in 1..=steps {
            let worths = self.worths(stakes, &now);
            for hand in 0..HANDS {
                let worth = worths.each_ref().map(|worth| worth[hand] / self.met(hand));
                let (push, call) = (now.push[hand], now.call[hand]);
                let pushed = push * worth[0] + (1.0 - push) * worth[1];
                let called = call * worth[2] + (1.0 - call) * worth[3];
                let regret = &mut regrets[hand];
                for (action, reference) in [(0, pushed), (1, pushed), (2, called), (3, called)] {
                    regret[action] = (regret[action] + worth[action] - reference).max(0.0);
                }
                let share = |daring: f64, folding: f64| {
                    if daring + folding > 0.0 { daring / (daring + folding) } else { 0.5 }
                };
                now.push[hand] = share(regret[0], regret[1]);
                now.call[hand] = share(regret[2], regret[3]);
                average.push[hand] += f64::from(step) * now.push[hand];
                average.call[hand] += f64::from(step) * now.call[hand];
            }
            weights += f64::from(step);
        }
        average.push.iter_mut().chain(&mut average.call).for_each(|share| *share /= weights);
        average
    }

    fn value(&self, stakes: &Stakes, strategies: &Strategies) -> f64 {
        let worths = self.worths(stakes, strategies);
        let all: f64 = (0..HANDS).map(|hand| self.met(hand)).sum();
        let played = |hand: usize| {
            let push = strategies.push[hand];
            push * worths[0][hand] + (1.0 - push) * worths[1][hand]
        };
        (0..HANDS).map(played).sum::<f64>() / all
    }
}

fn solved(stack: f64, gain: f64) -> (Stakes, Payoffs, Solution) {
    let stakes = Stakes::new(stack, 0.5, 0.0).unwrap();
    let payoffs = load(Backend::best());
    let limits = Limits { gain, steps: 20_000 };
    let solution = solve(&payoffs, &stakes, &limits, None, &context()).unwrap();
    (stakes, payoffs, solution)
}

#[test]
fn the_dense_solver_finds_the_same_game() {
    for stack in [4.0, 10.0, 15.0] {
        let (stakes, payoffs, solution) = solved(stack, 1e-6);
        let dense = DENSE.solve(&stakes, 3_000);
        let values = (solution.value, DENSE.value(&stakes, &dense));
        assert!((values.0 - values.1).abs() < 1e-5, "{stack}: {values:?}");
        // Where an action is better by more than what is left to gain, both do nothing else.
        let advantages = payoffs.advantages(&stakes, &solution.strategies);
        for hand in 0..HANDS {
            for (advantage, ours, theirs) in [
                (advantages.push[hand], solution.strategies.push[hand], dense.push[hand]),
                (advantages.call[hand], solution.strategies.call[hand], dense.call[hand]),
            ] {
                if advantage.abs() > 0.01 {
                    let right = f64::from(u8::from(advantage > 0.0));
                    assert!((ours - right).abs() < 5e-3, "{stack}: {hand} {ours} {advantage}");
                    assert!((theirs - right).abs() < 2e-2, "{stack}: {hand} {theirs} {advantage}");
                }
            }
        }
    }
}

#[test]
fn the_certificate_says_what_the_solver_says() {
    let (stakes, payoffs, solution) = solved(10.0, 1e-6);
    let strategies = &solution.strategies;
    let certificate = certify(&payoffs, &*ARTIFACT, &stakes, strategies, &context()).unwrap();
    assert!(certificate.exploitability() <= 1e-6, "{certificate:?}");
    assert!((certificate.exploitability() - solution.gain).abs() < 1e-12);
    assert!((certificate.value - solution.value).abs() < 1e-12);
    assert!(certificate.small_blind_gain >= -1e-12 && certificate.big_blind_gain >= -1e-12);
    // Another value cannot be right: it is off by no more than what is left to gain.
    assert!((DENSE.value(&stakes, strategies) - certificate.value).abs() < 1e-12);
}

#[test]
fn threads_and_back_ends_change_no_bit() {
    let stakes = Stakes::new(10.0, 0.5, 0.1).unwrap();
    let limits = Limits { gain: 1e-4, steps: 1_000 };
    let on = |threads: usize, backend: Backend| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let payoffs = load(backend);
            let solution = solve(&payoffs, &stakes, &limits, None, &context()).unwrap();
            let certificate =
                certify(&payoffs, &*ARTIFACT, &stakes, &solution.strategies, &context()).unwrap();
            (solution, certificate)
        })
    };
    let expected = on(1, Backend::available()[0]);
    for backend in Backend::available() {
        for threads in [1, 2, 5] {
            assert_eq!(on(threads, backend), expected, "{backend}, {threads} threads");
        }
    }
}

#[test]
fn the_best_hands_always_play_and_a_start_near_the_end_saves_steps() {
    let (stakes, payoffs, solution) = solved(10.0, 1e-5);
    let clusters = Clusters::new(2);
    for hand in ["AcAs", "KcKs", "AcKc"] {
        let index = clusters.index_of(parse_hand(hand, &[2]).unwrap()).0 as usize;
        assert!(solution.strategies.push[index] > 0.999 && solution.strategies.call[index] > 0.999);
    }
    let limits = Limits { gain: 1e-5, steps: solution.steps };
    let again = solve(&payoffs, &stakes, &limits, Some(&solution), &context()).unwrap();
    assert_eq!(again.steps, 1);
    let deeper = Stakes::new(11.0, 0.5, 0.0).unwrap();
    let limits = Limits { gain: 1e-5, steps: 20_000 };
    let scratch = solve(&payoffs, &deeper, &limits, None, &context()).unwrap();
    let warm = solve(&payoffs, &deeper, &limits, Some(&solution), &context()).unwrap();
    assert!(warm.steps < scratch.steps, "{} {}", warm.steps, scratch.steps);
    assert!((warm.value - scratch.value).abs() < 1e-5);
    let few = Limits { gain: 1e-9, steps: 3 };
    let error = solve(&payoffs, &stakes, &few, None, &context()).unwrap_err();
    assert!(matches!(error, PushFoldError::NotReached { steps: 3, .. }));
}

#[test]
fn a_part_of_the_matrix_or_too_little_memory_is_refused() {
    let part = assembled(&run(2), Some(JobIndex(0)));
    let load = |artifact: &Memory, bytes: u64| {
        Payoffs::load(artifact, 2, Backend::best(), bytes, &context()).map(|_| ()).unwrap_err()
    };
    assert!(load(&part, ENOUGH).to_string().contains("alone, not a whole row"));
    assert!(load(&ARTIFACT, 1_000).to_string().contains("bytes of memory"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn advantages_are_those_of_the_definition(
        push in prop::collection::vec(0.0..=1.0f64, HANDS),
        call in prop::collection::vec(0.0..=1.0f64, HANDS),
        stack in 1.0..30.0f64,
        ante in 0.0..1.0f64,
    ) {
        let stakes = Stakes::new(stack, 0.4, ante).unwrap();
        let strategies = Strategies { push, call };
        let payoffs = load(Backend::best());
        let advantages = payoffs.advantages(&stakes, &strategies);
        let [push, fold, call, pass] = DENSE.worths(&stakes, &strategies);
        for hand in 0..HANDS {
            let met = DENSE.met(hand);
            prop_assert!((advantages.push[hand] - (push[hand] - fold[hand]) / met).abs() < 1e-11);
            prop_assert!((advantages.call[hand] - (call[hand] - pass[hand]) / met).abs() < 1e-11);
        }
        let certificate = certify(&payoffs, &*ARTIFACT, &stakes, &strategies, &context()).unwrap();
        prop_assert!(certificate.small_blind_gain >= -1e-12);
        prop_assert!(certificate.big_blind_gain >= -1e-12);
        prop_assert!((certificate.value - DENSE.value(&stakes, &strategies)).abs() < 1e-12);
        // What one player wins the other loses.
        let all: f64 = (0..HANDS).map(|hand| DENSE.met(hand)).sum();
        let second: f64 = (0..HANDS)
            .map(|hand| {
                let share = strategies.call[hand];
                let folded: f64 = (0..HANDS)
                    .map(|other| {
                        let pairs = DENSE.pairs[hand * HANDS + other];
                        (1.0 - strategies.push[other]) * pairs * stakes.folded()
                    })
                    .sum();
                share * call[hand] + (1.0 - share) * pass[hand] + folded
            })
            .sum();
        prop_assert!((certificate.value + second / all).abs() < 1e-11);
    }
}

/// Pushing ranges as super-turbo-poker-tips.com/push-fold.html lists them: for each high card the lowest kicker,
/// offsuit (then suited as well) and suited; pairs are pushed all.
const PUBLISHED: [(f64, &str); 3] = [
    (10.0, "A2 K2 Q7 Q2s J8 J3s T8 T4s 97 95s 87 84s 76 74s 64s 53s 43s"),
    (15.0, "A2 K6 K2s Q9 Q4s J9 J6s T8 T6s 98 96s 85s 75s 64s 54s"),
    (20.0, "A2 K9 K4s Q9 Q5s J9 J7s T9 T6s 98 96s 86s 75s 65s 54s"),
];

#[test]
fn published_ranges_are_pushed_hand_by_hand() {
    const RANKS: &str = "23456789TJQKA";
    let rank = |letter: char| RANKS.find(letter).unwrap();
    let clusters = Clusters::new(2);
    for (stack, listed) in PUBLISHED {
        let (_, payoffs, solution) = solved(stack, 1e-7);
        let advantages =
            payoffs.advantages(&Stakes::new(stack, 0.5, 0.0).unwrap(), &solution.strategies);
        let (mut differ, mut mixed) = (Vec::new(), 0);
        for (index, cluster) in clusters.as_slice().iter().enumerate() {
            let hand = cluster.representative().to_string();
            let letters: Vec<char> = hand.chars().collect();
            let (a, b) = (rank(letters[0]), rank(letters[2]));
            let (high, low, suited) = (a.max(b), a.min(b), letters[1] == letters[3]);
            let in_range = listed.split(' ').any(|entry| {
                let entry: Vec<char> = entry.chars().collect();
                let fits = rank(entry[0]) == high && low >= rank(entry[1]);
                fits && (suited || entry.len() == 2)
            });
            let pushed = solution.strategies.push[index];
            if (0.001..=0.999).contains(&pushed) {
                mixed += 1;
                assert!(advantages.push[index].abs() < 1e-3, "{hand} is mixed without need");
            } else if (pushed > 0.5) != (high == low || in_range) {
                differ.push(hand);
            }
        }
        assert!(differ.is_empty() && mixed <= 4, "{stack}: {differ:?}, {mixed} mixed");
    }
}

/// Two thresholds that holdemresources.net/h/poker-theory/hune/usage.html works out: T3s is pushed up to 7.7 big blinds
/// (just below, it is worth next to nothing either way), Q2o called up to 5.6.
#[test]
fn published_thresholds_are_met() {
    let clusters = Clusters::new(2);
    let index = |hand: &str| clusters.index_of(parse_hand(hand, &[2]).unwrap()).0 as usize;
    for (stack, push) in [(7.0, 1.0), (7.8, 0.0)] {
        let (_, _, solution) = solved(stack, 1e-7);
        assert!((solution.strategies.push[index("Ts3s")] - push).abs() < 0.01, "{stack}");
    }
    for (stack, call) in [(5.55, 1.0), (5.7, 0.0)] {
        let (_, _, solution) = solved(stack, 1e-7);
        assert!((solution.strategies.call[index("Qs2d")] - call).abs() < 0.01, "{stack}");
    }
}

#[test]
fn strengths_are_those_of_single_cells() {
    let strengths = load(Backend::best()).strengths();
    for hand in 0..HANDS {
        let row = hand * HANDS..(hand + 1) * HANDS;
        let (pairs, lead) = (&DENSE.pairs[row.clone()], &DENSE.lead[row]);
        let ahead: f64 = lead.iter().sum::<f64>() / pairs.iter().sum::<f64>();
        assert!((strengths.percent(hand) - 50.0 * (1.0 + ahead)).abs() < 1e-9, "{hand}");
    }
}
