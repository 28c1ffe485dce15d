//! Cards without a game: ranks, suits, sets, parsing and printing, suit isomorphism, and the clusters into which
//! starting hands fall when suits are interchangeable.
//!
//! Main types: [`Card`], [`CardSet`], [`RankMultisets`], [`Clusters`].
//!
//! Deliberately absent: hand strength, boards, jokers and anything that depends on a game's rules.

mod card;
mod clusters;
mod parse;
mod pattern;
mod ranks;
mod set;

pub use card::{Card, RANKS, Rank, SUITS, Suit};
pub use clusters::{Cluster, ClusterIndex, Clusters, Group};
pub use parse::{CardError, parse_cards, parse_hand};
pub use pattern::SuitPattern;
pub use ranks::{RankMultiset, RankMultisets};
pub use set::CardSet;
