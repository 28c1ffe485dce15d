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

/// A table at which agents play; each sits down at its first game and keeps what it remembers.
pub struct Arena {
    setting: Setting,
    players: Vec<(AgentKind, Box<dyn Agent>)>,
    bidder: Evaluator,
}

/// Whether agents play themselves: both orders are then one game.
#[must_use]
pub fn is_mirror(agents: [AgentKind; 2]) -> bool {
    agents[0] == agents[1]
}

impl Arena {
    /// An empty one.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        let bidder = Evaluator::new(Prune::Series, BIDDER_MEMORY_BITS);
        Self { setting, players: Vec::new(), bidder }
    }

    /// Plays deal number `index`.
    pub fn play(&mut self, agents: [AgentKind; 2], index: u64, order: Order) -> Played {
        let (deal, thrown_in, landlord, bid) = self.deal(index);
        let hands = deal.with_landlord(landlord);
        let mut game = Game::new(hands, deal.bottom, landlord, self.setting.rules);
        let order = if is_mirror(agents) { Order::First } else { order };
        let stream = |seat: Seat| index * 8 + order as u64 * 4 + seat.index() as u64;
        let mut random =
            Seat::ALL.map(|seat| Random::stream(self.setting.seed, PURPOSE, stream(seat)));
        let [first, second] = agents;
        let (as_landlord, as_farmer) = match order {
            Order::First => (first, second),
            Order::Second => (second, first),
        };
        let mut illegal = 0;
        let score = loop {
            if let Some(score) = game.score() {
                break score;
            }
            let view = game.view();
            let agent = if view.role() == Role::Landlord { as_landlord } else { as_farmer };
            let decision = self.player(agent).decide(&view, &mut random[view.seat.index()]);
            illegal += u32::from(decision.illegal);
            game.play(decision.play).expect("agents keep to the rules");
        };
        Played { deal, thrown_in, bid, score, illegal, game }
    }

    fn player(&mut self, agent: AgentKind) -> &mut dyn Agent {
        let at = self.players.iter().position(|(kind, _)| *kind == agent);
        let at = at.unwrap_or_else(|| {
            self.players.push((agent, agent.player()));
            self.players.len() - 1
        });
        &mut *self.players[at].1
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
