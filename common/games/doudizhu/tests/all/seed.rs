//! The player of the articles against decisions that are known.

use crate::csv::rows;
use fulldeck_doudizhu::agents::seed::{Evaluator, Group, HandValue, Prune, Unwatched};
use fulldeck_doudizhu::cards::Hand;
use fulldeck_doudizhu::game::{AuctionKind, Game, Scoring, Seat, hold_auction};
use fulldeck_doudizhu::moves::{Kind, RuleSet, classify, identify};

fn lead(evaluator: &mut Evaluator, hand: Hand) -> Hand {
    evaluator.lead(hand, &mut Unwatched).expect("a lead").cards
}

fn text(group: Option<Group>) -> String {
    group.map_or_else(|| "pass".to_owned(), |group| group.cards.to_string())
}

#[test]
fn values_bids_and_leads_are_the_known_ones() {
    let mut series = Evaluator::new(Prune::Series, 16);
    let mut no_four = Evaluator::new(Prune::NoFour, 16);
    for row in rows("seed_values.csv", 40) {
        let hand = row.hand("hand");
        let value = HandValue { sum: row.number("sum_value"), rounds: row.number("need_round") };
        assert_eq!(series.value(hand), value, "{hand}");
        assert_eq!(series.bid(hand), row.number::<u32>("bid"), "{hand}");
        let led = lead(&mut series, hand);
        assert_eq!(led.to_string(), row.text("lead"), "{hand}");
        let legal = !classify(led, RuleSet::STRICT).is_empty();
        assert_eq!(u32::from(legal), row.number::<u32>("lead_is_legal_27472"), "{hand}");
        let sum = row.number("repo_variant_sum");
        let value = HandValue { sum, rounds: row.number("repo_variant_round") };
        assert_eq!(no_four.value(hand), value, "{hand}");
        assert_eq!(lead(&mut no_four, hand).to_string(), row.text("repo_variant_lead"), "{hand}");
    }
}

#[test]
fn replies_are_the_known_ones() {
    let mut evaluator = Evaluator::new(Prune::Series, 16);
    for row in rows("seed_follow.csv", 43) {
        let hand = row.hand("hand");
        let last = row.play("last", Kind::named(row.text("last_type"))).expect("a move");
        let reply = text(evaluator.follow(hand, &last, &mut Unwatched));
        assert_eq!(reply, row.text("reply"), "{hand} on {last}");
    }
}

#[test]
fn published_hands_have_the_published_values() {
    let mut evaluator = Evaluator::new(Prune::Series, 16);
    for (hand, sum, rounds, bid) in [
        ("77889TJJQQKKAA22B", 14, 7, 1),
        ("33445566899TTKKA2", 6, 7, 0),
        ("3344556678TJJQQA2", 4, 8, 0),
        ("88889999TTTT", 4, 1, 0),
    ] {
        let hand = hand.parse().unwrap();
        assert_eq!(evaluator.value(hand), HandValue { sum, rounds });
        assert_eq!(evaluator.bid(hand), bid);
    }
    let mut later = Evaluator::new(Prune::NoFour, 16);
    let fours = "88889999TTTT".parse().unwrap();
    assert_eq!(later.value(fours), HandValue { sum: 39, rounds: 3 });
    // The chain that was accepted is played, not the last one scanned.
    let last = identify("345678".parse().unwrap(), None, RuleSet::STRICT).unwrap();
    let hand = "447889TJJQKAA22".parse().unwrap();
    assert_eq!(text(evaluator.follow(hand, &last, &mut Unwatched)), "789TJQ");
}

#[test]
fn whole_games_are_the_known_ones() {
    let mut evaluator = Evaluator::new(Prune::Series, 16);
    for row in rows("seed_games.csv", 13) {
        let id = row.text("id");
        let hands = ["hand0", "hand1", "hand2"].map(|column| row.hand(column));
        let wishes = hands.map(|hand| evaluator.bid(hand));
        let bids: Vec<_> = wishes.iter().map(u32::to_string).collect();
        assert_eq!(bids.join(" "), row.text("bids"), "{id}");
        let auction = hold_auction(AuctionKind::Bid, wishes).expect("a landlord");
        assert_eq!(auction.landlord.index(), row.number::<usize>("landlord"), "{id}");
        let bottom = row.hand("bottom");
        let mut with_bottom = hands;
        with_bottom[auction.landlord.index()] += bottom;
        let mut game = Game::new(with_bottom, bottom, auction.landlord, RuleSet::STRICT);
        for turn in row.text("moves").split(' ') {
            let (seat, cards) = turn.split_once(':').expect("seat:cards");
            assert_eq!(game.turn(), Seat::new(seat.parse().unwrap()), "{id}");
            let view = game.view();
            let group = match view.last {
                None => evaluator.lead(view.hand, &mut Unwatched),
                Some(last) => evaluator.follow(view.hand, &last.mv, &mut Unwatched),
            };
            assert_eq!(text(group), cards, "{id}: {turn}");
            let play = group.map(|group| {
                identify(group.cards, Some(group.kind), RuleSet::STRICT).expect("a legal move")
            });
            game.play(play).expect("a legal play");
        }
        let score = game.score().expect("a finished game");
        assert_eq!(score.landlord_won, row.text("winner") == "landlord", "{id}");
        assert_eq!(score.bombs, row.number::<u32>("bombs"), "{id}");
        assert_eq!(u32::from(score.spring), row.number::<u32>("spring"), "{id}");
        let won = score.landlord(auction.bid, Scoring::default());
        assert_eq!(won, row.number::<i64>("landlord_score"), "{id}");
    }
}
