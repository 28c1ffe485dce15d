//! Deals by number.

use serde_json::json;

use super::{Answer, QuestionError, record};
use crate::agents::seed::{Evaluator, Prune};
use crate::game::{AuctionKind, deals, hold_auction};

/// Memory of values for one question: 512 KiB.
const MEMORY_BITS: u32 = 16;
/// Most deals of one number that are looked at.
const MOST_REDEALS: u32 = 1_000;

/// Deal number `index` of a seed, after `redeals` that were thrown in; what `seed` bids, and who becomes landlord.
///
/// # Errors
/// [`QuestionError::Refused`] for too many redeals.
pub fn deal(seed: u64, index: u64, redeals: u32) -> Result<Answer, QuestionError> {
    if redeals > MOST_REDEALS {
        return Err(QuestionError::Refused(format!(
            "{redeals} redeals are too many: at most {MOST_REDEALS}"
        )));
    }
    let deal = deals(seed, index).nth(redeals as usize).expect("deals never end");
    let mut evaluator = Evaluator::new(Prune::Series, MEMORY_BITS);
    let wishes = deal.hands.map(|hand| evaluator.bid(hand));
    let auction = hold_auction(AuctionKind::Bid, wishes);
    let [first, second, third] = deal.hands.map(|hand| hand.to_string());
    Ok(record(json!({
        "seed": seed,
        "index": index,
        "redeal": redeals,
        "hand_0": first,
        "hand_1": second,
        "hand_2": third,
        "bottom": deal.bottom.to_string(),
        "bids": wishes.map(|wish| wish.to_string()).join(" "),
        "landlord": auction.map(|auction| auction.landlord.index()),
        "bid": auction.map_or(0, |auction| auction.bid),
    })))
}
