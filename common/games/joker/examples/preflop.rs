//! Prints `src/preflop.csv`: win and tie of every class of starting hands, for all decks and rules.

#![allow(clippy::print_stdout, reason = "its output is the file")]

use fulldeck_joker::{Deck, Evaluator, Preflop, Rule, Table};

fn main() {
    println!("deck,rule,class,win,tie");
    for deck in Deck::ALL {
        for rule in Rule::ALL.into_iter().take(if deck == Deck::Cards52 { 1 } else { 2 }) {
            let table = Table::new(&Evaluator::new(rule), deck);
            for (class, odds) in Preflop::of(&table).rows() {
                println!("{deck},{},{class},{},{}", rule.name(), odds.win, odds.tie);
            }
        }
    }
}
