//! What a person asks without a run: texts in, flat records out.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::counting::choose;
use crate::odds::{against_hand, against_random};
use crate::{
    BestFive, Class, Classes, Deck, DeckCard, Estimate, Evaluator, HandType, Histogram, HoleClass,
    Odds, OddsError, Positions, Preflop, Rule, TextError, Weighting, check_count, estimate,
    from_key, parse_hand, parse_together, to_chinese, to_key, to_text,
};

/// Sizes of hands that can be judged.
const SIZES: [usize; 3] = [5, 6, 7];

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// A text is not the cards it should be.
    #[error(transparent)]
    Text(#[from] TextError),
    /// Cards are no question for odds.
    #[error(transparent)]
    Odds(#[from] OddsError),
    /// Right cards, but not for this question; the text says what would be right.
    #[error("{0}")]
    Refused(String),
}

/// Answers questions about one deck under one rule. Cheap to create: tables are built at first use.
#[derive(Debug)]
pub struct Answers {
    deck: Deck,
    rule: Rule,
    evaluator: OnceLock<Evaluator>,
    classes: OnceLock<Classes>,
    /// Of hands of five, six and seven cards.
    positions: [OnceLock<Positions>; 3],
}

impl Answers {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(deck: Deck, rule: Rule) -> Self {
        let positions = std::array::from_fn(|_| OnceLock::new());
        Self { deck, rule, evaluator: OnceLock::new(), classes: OnceLock::new(), positions }
    }

    /// The deck.
    #[must_use]
    pub const fn deck(&self) -> Deck {
        self.deck
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    fn evaluator(&self) -> &Evaluator {
        self.evaluator.get_or_init(|| Evaluator::new(self.rule))
    }

    fn classes(&self) -> &Classes {
        self.classes.get_or_init(Classes::new)
    }

    fn positions(&self, cards: usize) -> &Positions {
        self.positions[cards - SIZES[0]]
            .get_or_init(|| Positions::new(Histogram::count(self.evaluator(), self.deck, cards)))
    }

    fn start(&self) -> Map<String, Value> {
        let mut answer = Map::new();
        answer.insert("deck".into(), json!(self.deck.size()));
        answer.insert("rule".into(), json!(self.rule.name()));
        answer
    }

    /// The best five of five, six or seven cards, what the jokers among them became, and where the hand stands among all
    /// of its size.
    ///
    /// # Errors
    /// [`AnswerError`] unless the text is such a hand.
    pub fn best(&self, text: &str) -> Result<Map<String, Value>, AnswerError> {
        let cards = parse_hand(text, self.deck, &SIZES)?;
        let best = BestFive::of(&cards, self.evaluator(), self.classes());
        let class = self.classes().of(best.value);
        let standing = self.positions(cards.len()).of(best.value);
        let jokers: Vec<_> =
            best.jokers.iter().map(|(joker, became)| format!("{joker} = {became}")).collect();
        let mut answer = self.start();
        answer.insert("cards".into(), json!(to_text(&cards)));
        answer.insert("best".into(), json!(to_text(&best.cards)));
        answer.insert("best_chinese".into(), json!(to_chinese(&best.cards)));
        answer.insert("jokers".into(), json!((!jokers.is_empty()).then(|| jokers.join(", "))));
        answer.insert("type".into(), json!(class.hand_type.name()));
        answer.insert("type_number".into(), json!(class.type_number()));
        answer.insert("best5".into(), json!(class.to_string()));
        answer.insert("rank".into(), json!(best.value.rank(self.rule)));
        answer.insert("of_ranks".into(), json!(self.rule.values()));
        answer.insert("position".into(), json!(standing.position));
        answer.insert("positions".into(), json!(self.positions(cards.len()).distinct()));
        answer.insert("lower".into(), json!(standing.lower));
        answer.insert("hands".into(), json!(standing.hands));
        answer.insert("percentile".into(), json!(standing.percentile()));
        Ok(answer)
    }

    /// Which of two hands of five to seven cards is worth more. The hands may share cards, as two players share a board.
    ///
    /// # Errors
    /// [`AnswerError`] unless both texts are such hands.
    pub fn compare(&self, a: &str, b: &str) -> Result<Map<String, Value>, AnswerError> {
        let mut answer = self.start();
        let mut values = Vec::new();
        for (name, text) in [("a", a), ("b", b)] {
            let cards = parse_hand(text, self.deck, &SIZES)?;
            let value = self.evaluator().value(&cards);
            let class: Class = self.classes().of(value);
            answer.insert(format!("cards_{name}"), json!(to_text(&cards)));
            answer.insert(format!("type_{name}"), json!(class.hand_type.name()));
            answer.insert(format!("best5_{name}"), json!(class.to_string()));
            answer.insert(format!("rank_{name}"), json!(value.rank(self.rule)));
            values.push(value);
        }
        let better = match values[0].cmp(&values[1]) {
            std::cmp::Ordering::Greater => "a",
            std::cmp::Ordering::Equal => "tie",
            std::cmp::Ordering::Less => "b",
        };
        answer.insert("better".into(), json!(better));
        Ok(answer)
    }

    /// Exact odds of a hole on a board of none to five cards, against a random opponent or a given hand; with the known
    /// estimate beside them, if wanted.
    ///
    /// # Errors
    /// [`AnswerError`] unless the texts are different cards of the deck in the right numbers.
    pub fn odds(
        &self,
        hole: &str,
        board: &str,
        against: Option<&str>,
        weighting: Option<Weighting>,
    ) -> Result<Map<String, Value>, AnswerError> {
        let texts = [hole, board, against.unwrap_or_default()];
        let hands = parse_together(&texts, self.deck)?;
        let two = |text: &str, cards: &[DeckCard]| -> Result<[DeckCard; 2], TextError> {
            check_count(text, cards, &[2])?;
            Ok([cards[0], cards[1]])
        };
        let (own, on_board) = (two(hole, &hands[0])?, &hands[1]);
        check_count(board, on_board, &[0, 1, 2, 3, 4, 5])?;
        self.check_weighting(weighting)?;
        let other = against.map(|text| two(text, &hands[2])).transpose()?;
        if weighting.is_some() && other.is_some() {
            let text =
                "the estimate is one against a random hand: leave out either it or the given hand";
            return Err(AnswerError::Refused(text.to_owned()));
        }
        let odds = match other {
            Some(other) => against_hand(self.evaluator(), self.deck, own, other, on_board)?,
            None if on_board.is_empty() => Preflop::known(self.deck, self.rule)
                .odds(HoleClass::of(own))
                .expect("every hole of the deck has a class of it"),
            None => against_random(self.evaluator(), self.deck, own, on_board)?,
        };
        let mut answer = self.start();
        answer.insert("hole".into(), json!(to_text(&own)));
        answer.insert("class".into(), json!(HoleClass::of(own).to_string()));
        answer.insert("board".into(), json!(to_text(on_board)));
        let opponent = other.map_or_else(|| "any".to_owned(), |other| to_text(&other));
        answer.insert("against".into(), json!(opponent));
        answer.extend(counts(odds));
        if let Some(weighting) = weighting {
            let guess = estimate(self.evaluator(), self.positions(7), own, on_board, weighting);
            answer.extend(described(&guess, weighting, odds.equity()));
        }
        Ok(answer)
    }

    fn check_weighting(&self, weighting: Option<Weighting>) -> Result<(), AnswerError> {
        let original = weighting == Some(Weighting::Original);
        if original && (self.deck, self.rule) != (Deck::Cards54, Rule::Distinct) {
            let text = "the original estimate knows the deck of 54 without five of a kind only: leave out =original";
            return Err(AnswerError::Refused(text.to_owned()));
        }
        Ok(())
    }

    /// Exact odds of one class of starting hands, named like `AKs` or by a hole.
    ///
    /// # Errors
    /// [`AnswerError`] unless the deck has it.
    pub fn preflop(&self, text: &str) -> Result<Map<String, Value>, AnswerError> {
        let class = match HoleClass::named(text) {
            Some(class) => class,
            None => {
                let hole = parse_hand(text, self.deck, &[2]).map_err(|_| self.no_class(text))?;
                HoleClass::of([hole[0], hole[1]])
            }
        };
        let odds =
            Preflop::known(self.deck, self.rule).odds(class).ok_or_else(|| self.no_class(text))?;
        let mut answer = self.start();
        answer.extend(of_class(class, self.deck, odds));
        Ok(answer)
    }

    fn no_class(&self, text: &str) -> AnswerError {
        AnswerError::Refused(format!(
            "'{text}' names no starting hand of the deck of {}: right are AA, AKs, AKo, with a joker A*, ** or two cards",
            self.deck
        ))
    }

    /// Exact odds of all classes, and their equities as a grid: rows and columns are the joker and the ranks from the ace
    /// down, suited hands above the diagonal. With `minus`, also the equities less those of another deck under the same
    /// rule.
    #[must_use]
    pub fn all_preflop(&self, minus: Option<Deck>) -> Map<String, Value> {
        let known = Preflop::known(self.deck, self.rule);
        let rows: Vec<Value> = known
            .rows()
            .iter()
            .map(|(class, odds)| Value::Object(of_class(*class, self.deck, *odds)))
            .collect();
        let grid = known.grid();
        let labels: Vec<String> =
            grid.iter().enumerate().map(|(at, _)| line_label(at, grid.len())).collect();
        let equities: Vec<Vec<Option<f64>>> = grid
            .iter()
            .map(|row| row.iter().map(|cell| cell.map(|(_, odds)| odds.equity())).collect())
            .collect();
        let mut answer = self.start();
        answer.insert("classes".into(), json!(rows));
        answer.insert("labels".into(), json!(labels));
        answer.insert("equities".into(), json!(equities));
        if let Some(minus) = minus {
            let other = Preflop::known(minus, self.rule);
            let less = |(class, odds): (HoleClass, Odds)| {
                other.odds(class).map(|other| odds.equity() - other.equity())
            };
            let differences: Vec<Vec<Option<f64>>> = grid
                .iter()
                .map(|row| row.iter().map(|cell| cell.and_then(less)).collect())
                .collect();
            answer.insert("minus_deck".into(), json!(minus.size()));
            answer.insert("differences".into(), json!(differences));
        }
        answer
    }

    /// How many hands of a size are of each type.
    ///
    /// # Errors
    /// [`AnswerError`] unless the size is 5, 6 or 7.
    pub fn frequencies(&self, cards: usize) -> Result<Map<String, Value>, AnswerError> {
        if !SIZES.contains(&cards) {
            let text = format!("hands of {cards} cards are not judged: right are 5, 6 or 7");
            return Err(AnswerError::Refused(text));
        }
        let positions = self.positions(cards);
        let (types, royal) = positions.histogram().by_type(self.classes());
        let mut answer = self.start();
        answer.insert("cards".into(), json!(cards));
        answer.insert("hands".into(), json!(choose(self.deck.size() as u64, cards as u64)));
        answer.insert("distinct_values".into(), json!(positions.distinct()));
        for (hand_type, count) in HandType::ALL.iter().zip(types).rev() {
            answer.insert(hand_type.name().into(), json!(count));
        }
        answer.insert("royal_flush_among_them".into(), json!(royal));
        Ok(answer)
    }

    /// Cards in all their forms: any text, or a key of decimal digits.
    ///
    /// # Errors
    /// [`AnswerError`] unless the text is cards of the deck, at least one.
    pub fn convert(&self, text: &str) -> Result<Map<String, Value>, AnswerError> {
        let is_key = text.len() >= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let cards =
            if is_key { from_key(text)? } else { parse_together(&[text], self.deck)?.remove(0) };
        // A key does not say how many jokers there are to choose from.
        let cards = parse_together(&[&to_text(&cards)], self.deck)?.remove(0);
        if cards.is_empty() {
            return Err(AnswerError::Refused(
                "no cards given: cards are written like 'As Td *1'".to_owned(),
            ));
        }
        let mut answer = Map::new();
        answer.insert("cards".into(), json!(to_text(&cards)));
        answer.insert("chinese".into(), json!(to_chinese(&cards)));
        answer.insert("key".into(), json!(to_key(&cards)));
        answer.insert("count".into(), json!(cards.len()));
        Ok(answer)
    }
}

/// `*`, then the ranks from the ace down.
pub(crate) fn line_label(at: usize, lines: usize) -> String {
    let ranks = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
    match (at + ranks.len()).checked_sub(lines) {
        Some(rank) => ranks[rank].to_owned(),
        None => "*".to_owned(),
    }
}

/// Win, tie, lose, total and equity.
pub(crate) fn counts(odds: Odds) -> Map<String, Value> {
    let numbers =
        [("win", odds.win), ("tie", odds.tie), ("lose", odds.lose), ("total", odds.total())];
    let mut map: Map<String, Value> =
        numbers.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect();
    map.insert("equity".into(), json!(odds.equity()));
    map
}

fn of_class(class: HoleClass, deck: Deck, odds: Odds) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("class".into(), json!(class.to_string()));
    answer.insert("holes".into(), json!(class.holes(deck)));
    answer.extend(counts(odds));
    answer
}

fn described(guess: &Estimate, weighting: Weighting, equity: f64) -> Map<String, Value> {
    let kind = match weighting {
        Weighting::Plain => "plain means",
        Weighting::Original => "original means: hands with both jokers weigh half",
    };
    let mut answer = Map::new();
    answer.insert("estimate".into(), json!(guess.estimate));
    answer.insert("estimate_is".into(), json!(format!("no exact number, {kind}")));
    answer.insert("estimate_error".into(), json!(guess.estimate - equity));
    answer.insert("estimate_own_mean".into(), json!(guess.own.mean));
    for (name, share) in [
        ("mean", guess.board.map(|board| board.mean)),
        ("min", guess.board.map(|board| board.min)),
        ("max", guess.board.map(|board| board.max)),
    ] {
        answer.insert(format!("estimate_board_{name}"), json!(share));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Answers {
        Answers::new(Deck::Cards54, Rule::Distinct)
    }

    /// What the worked examples of the estimate's first program give, exactly, and its estimate.
    #[test]
    fn the_worked_examples_are_answered_exactly() {
        let best = answers().best("黑2,黑3 方2,方A,黑7,黑5,鬼").unwrap();
        assert_eq!(best["best_chinese"], "黑2,黑3,黑7,黑5,鬼");
        assert_eq!((&best["jokers"], &best["type"]), (&json!("*1 = As"), &json!("flush")));
        assert_eq!(
            (&best["rank"], &best["position"], &best["lower"]),
            (&json!(810), &json!(4014), &json!(158_802_180))
        );
        let odds = |hole: &str, weighting| {
            answers().odds(hole, "黑2,黑4,黑5,黑K", None, Some(weighting)).unwrap()
        };
        for (hole, weighting, own, estimate) in [
            ("方3,鬼", Weighting::Plain, 0.919_963, 0.891_174),
            ("方3,鬼", Weighting::Original, 0.919_156, 0.890_039),
            ("3d Ad", Weighting::Plain, 0.813_821, 0.742_017),
        ] {
            let answer = odds(hole, weighting);
            let close = |name: &str, known: f64| {
                let found = answer[name].as_f64().unwrap();
                assert!((found - known).abs() < 6e-7, "{hole} {name}: {found}");
            };
            close("estimate_own_mean", own);
            close("estimate", estimate);
            close("estimate_board_mean", 0.641_597);
            close("estimate_board_min", 0.022_375);
            close("estimate_board_max", 0.997_406);
        }
        let exact = odds("方3,鬼", Weighting::Plain);
        assert_eq!(
            (&exact["win"], &exact["tie"], &exact["lose"]),
            (&json!(47_136), &json!(3_486), &json!(1_266))
        );
        let exact = odds("3d Ad", Weighting::Plain);
        assert_eq!(
            (&exact["win"], &exact["tie"], &exact["lose"]),
            (&json!(21_918), &json!(7_755), &json!(22_215))
        );
    }

    #[test]
    fn estimates_without_a_board_are_means() {
        for (hole, weighting, known) in [
            ("As *1", Weighting::Plain, 0.792_116),
            ("As *1", Weighting::Original, 0.784_912),
            ("2c 2d", Weighting::Plain, 0.535_616),
            ("As Ks", Weighting::Plain, 0.530_262),
        ] {
            let answer = answers().odds(hole, "", None, Some(weighting)).unwrap();
            let found = answer["estimate"].as_f64().unwrap();
            assert!((found - known).abs() < 6e-7, "{hole}: {found}");
        }
    }

    #[test]
    fn a_board_that_nobody_can_beat_divides_nothing_by_nothing() {
        let answer =
            answers().odds("2c 3d", "As Ks Qs Js Ts", None, Some(Weighting::Plain)).unwrap();
        assert_eq!((&answer["equity"], &answer["estimate"]), (&json!(0.5), &json!(0.5)));
    }

    #[test]
    fn bad_questions_are_refused_in_one_line() {
        let answers = answers();
        let said = |answer: Result<Map<String, Value>, AnswerError>| {
            let text = answer.unwrap_err().to_string();
            assert!(!text.contains('\n'), "{text}");
            text
        };
        assert!(said(answers.best("* * * As Ks")).contains("a third joker at position 5"));
        assert!(said(answers.best("As As Ks Qs Js")).contains("As at position 4"));
        assert!(
            said(answers.best("As Ks Qs Js")).contains("has 4 cards, where 5 or 6 or 7 are needed")
        );
        assert!(
            said(answers.odds("As Ks Qs Js", "", None, None)).contains("has 4 cards, where 2 are")
        );
        assert!(said(answers.odds("As", "", None, None)).contains("has 1 cards"));
        assert!(
            said(answers.odds("As Ks", "Qs Js Ts 9s 8s 7s", None, None)).contains("has 6 cards")
        );
        assert!(said(answers.odds("As Ks", "As 2c 3c", None, None)).contains("As at position 1"));
        assert!(said(answers.odds("As *", "* *", None, None)).contains("a third joker"));
        assert!(
            said(answers.odds("so da", "", None, None))
                .contains("'s' at position 1 begins no card")
        );
        assert!(said(answers.convert("99")).contains("'99' is not a key"));
        assert!(said(answers.preflop("AKx")).contains("'AKx' names no starting hand"));
        assert!(said(answers.frequencies(4)).contains("5, 6 or 7"));
        let wild = Answers::new(Deck::Cards54, Rule::Wild);
        assert!(
            said(wild.odds("As Ks", "", None, Some(Weighting::Original))).contains("=original")
        );
        let without = Answers::new(Deck::Cards52, Rule::Distinct);
        assert!(said(without.odds("As *", "", None, None)).contains("no joker"));
        assert!(said(without.preflop("A*")).contains("no starting hand of the deck of 52"));
    }

    #[test]
    fn keys_and_texts_convert() {
        let key = answers().convert("4145153546288").unwrap();
        assert_eq!(key["cards"], "4d Ad 3s 5s 6s As *1");
        assert_eq!(answers().convert("方4,鬼").unwrap()["key"], "488");
        assert!(Answers::new(Deck::Cards52, Rule::Distinct).convert("8888").is_err());
    }
}
