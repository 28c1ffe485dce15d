//! Pictures of who wins: every position of a small basket, and the totals of many.

use fulldeck_job::picture::{
    Axis, Cell, Curves, Drawing, Grid, Palette, Panel, Picture, PictureKind, Scale, Series,
};

use crate::{Basket, Rule, theory};

/// The kind that needs no run.
pub const KINDS: &[PictureKind] = &[PictureKind {
    name: "map",
    summary: "every position of a basket: who wins, and its Grundy value",
}];

pub(crate) const LOST: PictureKind = PictureKind {
    name: "lost",
    summary: "share of positions in which the player to move loses, over the balls of a colour",
};
pub(crate) const MOVES: PictureKind = PictureKind {
    name: "moves",
    summary: "winning moves of a won position on average, over the balls of a colour",
};

/// Most colours of a map: rows, columns, panels.
const MAP_COLOURS: usize = 3;
/// Most places of a colour that are rows or columns ...
const MAP_PLACES: u32 = 15;
/// ... or panels.
const MAP_PANELS: u32 = 9;
/// Most lines of a picture of totals.
const MOST_LINES: u32 = 8;

/// A basket of which no map is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no map is drawn of so large a basket; right are 1 to {MAP_COLOURS} colours, at most {MAP_PLACES} balls of the first \
     two and {MAP_PANELS} of the third"
)]
pub struct TooLarge;

/// Every position of a basket: P where the player to move loses, N where he wins.
///
/// # Errors
/// [`TooLarge`]
pub fn map(basket: &Basket, rule: Rule) -> Result<Picture, TooLarge> {
    let places = basket.capacities();
    let small = places.iter().zip([MAP_PLACES, MAP_PLACES, MAP_PANELS]).all(|(p, most)| *p <= most);
    if places.len() > MAP_COLOURS || !small {
        return Err(TooLarge);
    }
    let places = |colour: usize| places.get(colour).copied().unwrap_or(0);
    let panels: Vec<Panel> = (0..=places(2)).map(|third| panel(basket, rule, third)).collect();
    let columns = match panels.len() {
        count @ 1..=4 => count,
        count => count.div_ceil(2).min(4),
    };
    let (ends, loses) = match rule {
        Rule::Normal => ("wins", "the player to move loses"),
        Rule::Misere => ("loses", "the player to move loses"),
    };
    let picture = Picture {
        title: "The basket game: who wins in every position".to_owned(),
        subtitle: format!("numbers of balls placed; whoever places the last ball {ends}"),
        panels,
        columns,
        notes: Vec::new(),
        source: String::new(),
    };
    let picture = picture.note(format!("P: {loses} with best play of both; N: he wins."));
    Ok(match rule {
        Rule::Normal => {
            picture.note("The number is the Grundy value: the xor of the balls still missing.")
        }
        Rule::Misere => picture,
    })
}

/// The positions with so many balls of the third colour, if there is one.
fn panel(basket: &Basket, rule: Rule, third: u32) -> Panel {
    let places = basket.capacities();
    let columns = places.get(1).copied().unwrap_or(0);
    let cell = |first: u32, second: u32| {
        let placed = [first, second, third][..places.len()].to_vec();
        let position = basket.position(placed).ok()?;
        let wins = theory::wins(basket, &position, rule);
        let letter = if wins { "N" } else { "P" };
        let text = match rule {
            Rule::Normal => format!("{letter} {}", theory::grundy(basket, &position)),
            Rule::Misere => letter.to_owned(),
        };
        Some(Cell { value: f64::from(u8::from(wins)), lines: vec![text] })
    };
    let numbers = |most: u32| (0..=most).map(|placed| placed.to_string()).collect();
    let axis = |colour: usize| match places.get(colour) {
        Some(_) => format!("{} placed", basket.name(colour)),
        None => String::new(),
    };
    let names = ["P: lost", "N: won"].map(str::to_owned);
    let grid = Grid {
        row_axis: axis(0),
        column_axis: axis(1),
        row_labels: numbers(places[0]),
        column_labels: if columns > 0 { numbers(columns) } else { vec![String::new()] },
        cells: (0..=places[0])
            .map(|first| (0..=columns).map(|second| cell(first, second)).collect())
            .collect(),
        scale: Scale {
            label: String::new(),
            palette: Palette::Classes(names.into()),
            missing: String::new(),
        },
    };
    let title = match places.get(2) {
        Some(_) => format!("{third} {} placed", basket.name(2)),
        None => String::new(),
    };
    Panel { title, drawing: Drawing::Grid(grid) }
}

/// Totals of one basket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) colours: u32,
    pub(crate) balls: u32,
    pub(crate) positions: u64,
    pub(crate) lost: u64,
    pub(crate) winning_moves: u64,
}

/// Shares of lost positions.
pub(crate) fn lost(counts: &[Counts]) -> Picture {
    let share = |one: &Counts| 100.0 * one.lost as f64 / one.positions as f64;
    let axis = Axis::logarithmic("positions lost for the player to move, %");
    totals(counts, "The basket game: how many positions are lost", axis, share)
        .note("With one ball less than a power of two of each colour, one position in that power is lost.")
}

/// Winning moves of a won position.
pub(crate) fn moves(counts: &[Counts]) -> Picture {
    let mean = |one: &Counts| one.winning_moves as f64 / (one.positions - one.lost) as f64;
    let axis = Axis::even("winning moves of a won position, on average");
    totals(counts, "The basket game: how many moves win", axis, mean)
}

fn totals(counts: &[Counts], title: &str, y: Axis, of: impl Fn(&Counts) -> f64) -> Picture {
    let most = counts.iter().map(|one| one.colours).max().unwrap_or(0);
    let series = (1..=most.min(MOST_LINES)).map(|colours| {
        let of_colours = counts.iter().filter(|one| one.colours == colours);
        let points = of_colours.map(|one| [f64::from(one.balls), of(one)]).collect();
        let name = if colours == 1 { "1 colour".to_owned() } else { format!("{colours} colours") };
        Series { name, points }
    });
    let curves = Curves { x: Axis::even("balls of each colour"), y, series: series.collect() };
    let subtitle = "normal rule: whoever places the last ball wins; all positions of each basket";
    let picture = Picture::of(title, subtitle, Drawing::Curves(curves));
    match most {
        0..=MOST_LINES => picture,
        _ => picture.note(format!("Of up to {most} colours the first {MOST_LINES} are drawn.")),
    }
}
