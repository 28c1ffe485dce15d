//! Pictures of starting hands and of how often types of hands occur. From what comes with the program by
//! [`of_deck`]; runs describe theirs by the same functions.

use fulldeck_job::QueryError;
use fulldeck_job::picture::{
    Axis, Bars, Cell, Drawing, Grid, Palette, Picture, PictureKind, Scale,
};

use crate::answers::line_label;
use crate::{Classes, Deck, Evaluator, HandType, Histogram, HoleClass, Odds, Preflop, Rule};

pub(crate) const PREFLOP: PictureKind = PictureKind {
    name: "preflop",
    summary: "the grid of starting hands with their equity against a random one",
};
pub(crate) const DIFFERENCE: PictureKind = PictureKind {
    name: "difference",
    summary: "the same grid, less the equities of another deck (that without jokers)",
};
pub(crate) const FREQUENCIES: PictureKind =
    PictureKind { name: "frequencies", summary: "how often each type of hand is dealt" };

/// Kinds that need no run.
pub const KINDS: &[PictureKind] = &[PREFLOP, DIFFERENCE, FREQUENCIES];

/// A picture of a deck under a rule: `minus` is the deck that `difference` subtracts, `cards` the size of the hands of
/// `frequencies`, where the deck does not matter: all are shown.
///
/// # Errors
/// [`QueryError::Question`] for an unknown kind, or hands not of five to seven cards.
pub fn of_deck(
    kind: &str,
    (deck, rule): (Deck, Rule),
    minus: Deck,
    cards: usize,
) -> Result<Picture, QueryError> {
    let known = Preflop::known(deck, rule);
    match kind {
        "preflop" => Ok(preflop(known, rule)),
        "difference" if deck == minus => Err(QueryError::Question(format!(
            "the deck of {deck} less itself is nothing; another deck is right"
        ))),
        "difference" => Ok(difference(known, Preflop::known(minus, rule), rule)),
        "frequencies" if (5..=7).contains(&cards) => Ok(decks(rule, cards)),
        "frequencies" => Err(QueryError::Question(format!(
            "hands of {cards} cards have no types; 5, 6 or 7 is right"
        ))),
        _ => Err(QueryError::no_picture(kind, KINDS)),
    }
}

fn of_cards(deck: Deck, rule: Rule) -> String {
    let jokers = match deck {
        Deck::Cards52 => return "52 cards, no joker".to_owned(),
        Deck::Cards53 => "53 cards, one joker",
        Deck::Cards54 => "54 cards, two jokers",
    };
    format!("{jokers}; {}", rule_in_words(rule))
}

const fn rule_in_words(rule: Rule) -> &'static str {
    match rule {
        Rule::Distinct => "a joker becomes any card that its owner lacks",
        Rule::Wild => "a joker becomes any card that its owner lacks, or the fifth of a rank",
    }
}

/// The grid of starting hands; a cell has a value, or is missing.
fn grid(preflop: &Preflop, scale: Scale, cell: impl Fn(HoleClass, Odds) -> Option<Cell>) -> Grid {
    let hands = preflop.grid();
    let labels: Vec<String> = (0..hands.len()).map(|at| line_label(at, hands.len())).collect();
    let cells = hands.iter().map(|row| {
        row.iter().map(|hand| hand.and_then(|(class, odds)| cell(class, odds))).collect()
    });
    Grid {
        row_axis: "first card".to_owned(),
        column_axis: "second card: suited above the diagonal, offsuit below".to_owned(),
        row_labels: labels.clone(),
        column_labels: labels,
        cells: cells.collect(),
        scale,
    }
}

/// Equities against a random hand.
pub(crate) fn preflop(preflop: &Preflop, rule: Rule) -> Picture {
    let missing = if preflop.deck() == Deck::Cards53 { "no such hand" } else { "" };
    let scale = Scale {
        label: "equity, %".to_owned(),
        palette: Palette::Diverging { centre: 50.0, reach: 50.0 },
        missing: missing.to_owned(),
    };
    let cell = |class: HoleClass, odds: Odds| {
        let value = 100.0 * odds.equity();
        Some(Cell { value, lines: vec![class.to_string(), format!("{value:.2}")] })
    };
    let subtitle = format!("against a random hand, all boards; {}", of_cards(preflop.deck(), rule));
    let drawing = Drawing::Grid(grid(preflop, scale, cell));
    Picture::of("Equity of starting hands before the flop", subtitle, drawing)
}

/// Equities less those of the same hands of another deck.
pub(crate) fn difference(preflop: &Preflop, other: &Preflop, rule: Rule) -> Picture {
    let less = |class: HoleClass, odds: Odds| {
        other.odds(class).map(|other| 100.0 * (odds.equity() - other.equity()))
    };
    let differences = preflop.rows().iter().filter_map(|(class, odds)| less(*class, *odds));
    let far = differences.fold(0.0f64, |far, difference| far.max(difference.abs()));
    let scale = Scale {
        label: "difference, percentage points".to_owned(),
        palette: Palette::Diverging { centre: 0.0, reach: far.ceil().max(1.0) },
        missing: "in one deck only".to_owned(),
    };
    let cell = |class: HoleClass, odds: Odds| {
        less(class, odds).map(|value| Cell {
            value,
            lines: vec![class.to_string(), format!("{value:+.2}").replace('-', "−")],
        })
    };
    let (deck, other) = (preflop.deck(), other.deck());
    let subtitle =
        format!("equity with {deck} cards less that with {other}; {}", rule_in_words(rule));
    let drawing = Drawing::Grid(grid(preflop, scale, cell));
    Picture::of("What jokers change: equity of starting hands before the flop", subtitle, drawing)
}

/// All decks beside each other, for hands of so many cards.
fn decks(rule: Rule, cards: usize) -> Picture {
    let evaluator = Evaluator::new(rule);
    let series =
        Deck::ALL.map(|deck| (format!("{deck} cards"), Histogram::count(&evaluator, deck, cards)));
    let subtitle = format!("hands of {cards} cards; {}", rule_in_words(rule));
    frequencies(&series, subtitle)
}

/// The sizes of hands of one deck beside each other.
pub(crate) fn sizes(histograms: Vec<(usize, Histogram)>, deck: Deck, rule: Rule) -> Picture {
    let named = histograms.into_iter().map(|(cards, counts)| (format!("hands of {cards}"), counts));
    frequencies(&named.collect::<Vec<_>>(), of_cards(deck, rule))
}

fn frequencies(histograms: &[(String, Histogram)], subtitle: String) -> Picture {
    let classes = Classes::new();
    let shares = |histogram: &Histogram| {
        let all = histogram.all_hands() as f64;
        histogram.by_type(&classes).0.map(|hands| 100.0 * hands as f64 / all)
    };
    let shares: Vec<_> = histograms.iter().map(|(_, histogram)| shares(histogram)).collect();
    let dealt: Vec<usize> = (0..HandType::ALL.len())
        .filter(|at| shares.iter().any(|shares| shares[*at] > 0.0))
        .collect();
    let series = histograms.iter().zip(&shares).map(|((name, _), shares)| {
        let of_type = |at: &usize| if shares[*at] > 0.0 { shares[*at] } else { f64::NAN };
        (name.clone(), dealt.iter().map(of_type).collect())
    });
    let bars = Bars {
        category_axis: "type of the best five cards".to_owned(),
        categories: dealt.iter().map(|at| HandType::ALL[*at].name().replace('_', " ")).collect(),
        values: Axis::logarithmic("share of all hands, %").including([100.0]),
        series: series.collect(),
    };
    Picture::of("How often each type of hand is dealt", subtitle, Drawing::Bars(bars))
}
