//! A game from the deal to the score.

mod auction;
mod deal;
mod play;
mod random;
mod score;
mod seat;

pub use auction::{Auction, AuctionKind, hold_auction};
pub use deal::{Deal, deals};
pub use play::{Game, IllegalPlay, Lead, Turn, View};
pub use random::Random;
pub use score::{Score, Scoring};
pub use seat::{Role, Seat};
