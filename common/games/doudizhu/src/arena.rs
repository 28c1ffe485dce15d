//! Deals played out by agents, the same whoever computes them and in whatever order.

use crate::agents::seed::{Evaluator, Prune};
use crate::agents::{Agent, AgentKind};
use crate::game::{
    AuctionKind, Deal, Game, Random, Role, Score, Scoring, Seat, deals, hold_auction,
};
use crate::moves::RuleSet;

const PURPOSE: &[u8; 24] = b"fulldeck doudizhu plays\0";
/// Nobody bids so often in a row.
const MOST_DEALS: usize = 1_000;
/// Memory of the bidders' values: 512 KiB.
const BIDDER_MEMORY_BITS: u32 = 16;

/// Who is landlord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandlordBy {
    /// Seat 0, for a bid of 1.
    SeatZero,
    /// An auction in which all seats bid as `seed` does, so that both games of a deal have the same landlord.
    Auction(AuctionKind),
}

/// What all games of a contest have in common.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The rules of the moves.
    pub rules: RuleSet,
    /// The rules of the score.
    pub scoring: Scoring,
    /// Who is landlord.
    pub landlord: LandlordBy,
    /// Numbers the deals together with their index.
    pub seed: u64,
}

/// Which of the two agents is landlord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first is landlord, the second both farmers.
    First,
    /// The second is landlord, the first both farmers.
    Second,
}

/// One game played out.
#[derive(Clone, Debug)]
pub struct Played {
    /// The deal that was played, after any that were thrown in.
    pub deal: Deal,
    /// Deals thrown in before, because nobody bid.
    pub thrown_in: u32,
    /// What the game was worth.
    pub bid: u32,
    /// How it ended.
    pub score: Score,
    /// Decisions that broke the rules at first.
    pub illegal: u32,
    /// The game itself.
    pub game: Game,
}

/// Two agents, a setting and what they need to play.
pub struct Arena {
    setting: Setting,
    agents: [AgentKind; 2],
    players: Vec<Box<dyn Agent>>,
    bidder: Evaluator,
}

impl Arena {
    /// An arena for two agents, who may be the same.
    #[must_use]
    pub fn new(setting: Setting, agents: [AgentKind; 2]) -> Self {
        let [first, second] = agents;
        let players = if first == second { vec![first] } else { vec![first, second] };
        let players = players.into_iter().map(AgentKind::player).collect();
        Self { setting, agents, players, bidder: Evaluator::new(Prune::Series, BIDDER_MEMORY_BITS) }
    }

    /// Whether the agents play themselves: both orders are then one game.
    #[must_use]
    pub fn is_mirror(&self) -> bool {
        self.agents[0] == self.agents[1]
    }

    /// Plays deal number `index`.
    pub fn play(&mut self, index: u64, order: Order) -> Played {
        let (deal, thrown_in, landlord, bid) = self.deal(index);
        let hands = deal.with_landlord(landlord);
        let mut game = Game::new(hands, deal.bottom, landlord, self.setting.rules);
        let order = if self.is_mirror() { Order::First } else { order };
        let stream = |seat: Seat| index * 8 + order as u64 * 4 + seat.index() as u64;
        let mut random =
            Seat::ALL.map(|seat| Random::stream(self.setting.seed, PURPOSE, stream(seat)));
        let mut illegal = 0;
        let score = loop {
            if let Some(score) = game.score() {
                break score;
            }
            let view = game.view();
            let seat = view.seat;
            let is_landlord = view.role() == Role::Landlord;
            let player = usize::from(is_landlord == (order == Order::Second)) % self.players.len();
            let decision = self.players[player].decide(&view, &mut random[seat.index()]);
            illegal += u32::from(decision.illegal);
            game.play(decision.play).expect("agents keep to the rules");
        };
        Played { deal, thrown_in, bid, score, illegal, game }
    }

    /// The deal that is played, how many were thrown in before it, the landlord and the bid.
    fn deal(&mut self, index: u64) -> (Deal, u32, Seat, u32) {
        for (thrown_in, deal) in deals(self.setting.seed, index).take(MOST_DEALS).enumerate() {
            match self.setting.landlord {
                LandlordBy::SeatZero => return (deal, 0, Seat::new(0), 1),
                LandlordBy::Auction(kind) => {
                    let wishes = deal.hands.map(|hand| self.bidder.bid(hand));
                    if let Some(auction) = hold_auction(kind, wishes) {
                        return (deal, thrown_in as u32, auction.landlord, auction.bid);
                    }
                }
            }
        }
        unreachable!("one deal in five is thrown in, never {MOST_DEALS} in a row")
    }
}
