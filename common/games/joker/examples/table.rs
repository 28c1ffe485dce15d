//! Times the whole exact table of the deck of 54 cards on one thread, in CPU time (from Linux's `/proc`) and by the clock:
//! on a busy machine only the former means anything.

#![allow(clippy::print_stdout, reason = "its output is the figures")]

use std::time::Instant;

use fulldeck_joker::{Deck, Evaluator, Rule, Table};

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let evaluator = Evaluator::new(Rule::Distinct);
    let cpu = || {
        let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let ticks = text
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(11)?.parse::<u64>().ok());
        ticks.unwrap_or_default() as f64 / 100.0
    };
    let (start, started) = (cpu(), Instant::now());
    let table = pool.install(|| Table::new(&evaluator, Deck::Cards54));
    println!(
        "no board to four board cards: {:.2} s of CPU, {:.2} s",
        cpu() - start,
        started.elapsed().as_secs_f64()
    );
    drop(table);
    let (start, started) = (cpu(), Instant::now());
    let mut wins = 0u64;
    Table::rivers(&evaluator, Deck::Cards54, |_, row| {
        wins += row.iter().map(|won| u64::from(won.win())).sum::<u64>();
    });
    println!(
        "five board cards: {:.2} s of CPU, {:.2} s, {wins} wins",
        cpu() - start,
        started.elapsed().as_secs_f64()
    );
}
