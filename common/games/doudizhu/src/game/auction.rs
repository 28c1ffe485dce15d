//! Who becomes landlord.

use super::Seat;

/// How the landlord is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuctionKind {
    /// Each seat once, in order: pass or more than the highest bid so far, 1 to 3; 3 ends it.
    #[default]
    Bid,
    /// Call and rob: the first who calls becomes landlord for 1; each later seat, and at last the caller if he was robbed, may
    /// rob once, which doubles.
    Rob,
}

/// Outcome of an auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auction {
    /// The landlord.
    pub landlord: Seat,
    /// What the game is worth.
    pub bid: u32,
}

/// From this wish on a player robs.
const ROBS: u32 = 2;

/// Holds the auction by the wishes of the three seats, 0 (pass) to 3; `None` when nobody bids and the cards are thrown in.
/// When robbing, a wish of 1 calls and a wish of 2 or 3 calls and robs.
#[must_use]
pub fn hold_auction(kind: AuctionKind, wishes: [u32; 3]) -> Option<Auction> {
    match kind {
        AuctionKind::Bid => {
            // A lower or equal bid counts as a pass: the earliest of the highest wins.
            let bid = wishes.into_iter().max().filter(|bid| *bid > 0)?;
            let landlord = wishes.iter().position(|wish| *wish == bid).map(Seat::new)?;
            Some(Auction { landlord, bid })
        }
        AuctionKind::Rob => {
            let caller = wishes.iter().position(|wish| *wish > 0)?;
            let mut auction = Auction { landlord: Seat::new(caller), bid: 1 };
            let again = (wishes[caller] >= ROBS).then_some(caller);
            for seat in (caller + 1..3).chain(again) {
                let seat = Seat::new(seat);
                if wishes[seat.index()] >= ROBS && seat != auction.landlord {
                    auction = Auction { landlord: seat, bid: 2 * auction.bid };
                }
            }
            Some(auction)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_of_the_highest_wins() {
        let bid =
            |wishes| hold_auction(AuctionKind::Bid, wishes).map(|a| (a.landlord.index(), a.bid));
        assert_eq!(bid([0, 0, 0]), None);
        assert_eq!(bid([1, 1, 0]), Some((0, 1)));
        assert_eq!(bid([1, 2, 2]), Some((1, 2)));
        assert_eq!(bid([0, 3, 3]), Some((1, 3)));
    }

    #[test]
    fn every_robbery_doubles_and_the_caller_robs_back_once() {
        let rob =
            |wishes| hold_auction(AuctionKind::Rob, wishes).map(|a| (a.landlord.index(), a.bid));
        assert_eq!(rob([0, 0, 0]), None);
        assert_eq!(rob([1, 1, 1]), Some((0, 1)));
        assert_eq!(rob([1, 2, 0]), Some((1, 2)));
        assert_eq!(rob([3, 2, 0]), Some((0, 4)));
        assert_eq!(rob([3, 2, 2]), Some((0, 8)));
        assert_eq!(rob([0, 1, 3]), Some((2, 2)));
        assert_eq!(rob([2, 0, 0]), Some((0, 1)));
    }
}
