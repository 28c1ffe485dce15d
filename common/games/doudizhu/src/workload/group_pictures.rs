//! Pictures of the table of fewest groups.

use fulldeck_job::picture::{
    Axis, Bars, Cell, Drawing, Grid, Palette, Picture, PictureKind, Scale, grouped,
};

use crate::groups::MOST_GROUPS;

/// Kinds of pictures of the table.
pub(super) const KINDS: &[PictureKind] = &[
    PictureKind { name: "groups", summary: "how many hands take how many groups at least" },
    PictureKind {
        name: "by-size",
        summary: "the same for hands of each number of cards, in percent",
    },
];

/// Hands by number of cards and fewest groups.
pub(super) type BySize = Vec<[u64; MOST_GROUPS as usize + 1]>;

fn subtitle(by_size: &BySize) -> String {
    let hands: u64 = by_size.iter().flatten().sum();
    format!(
        "all {} hands of at most {} cards; suits do not matter",
        grouped(hands),
        by_size.len() - 1
    )
}

/// Highest number of groups that occurs.
fn most(by_size: &BySize) -> usize {
    let occurs = |groups: &usize| by_size.iter().any(|counts| counts[*groups] > 0);
    (0..=usize::from(MOST_GROUPS)).rev().find(occurs).unwrap_or(0)
}

/// A bar for each number of groups.
pub(super) fn histogram(by_size: &BySize) -> Picture {
    let counted = |groups: usize| by_size.iter().map(|counts| counts[groups]).sum::<u64>();
    let all: u64 = by_size.iter().flatten().sum();
    let groups = 0..=most(by_size);
    let share = |groups| 100.0 * counted(groups) as f64 / all as f64;
    let bars = Bars {
        category_axis: "fewest groups (legal plays) that use up the hand".to_owned(),
        categories: groups.clone().map(|groups| groups.to_string()).collect(),
        values: Axis::even("share of all hands, %"),
        series: vec![("hands".to_owned(), groups.map(share).collect())],
    };
    Picture::of("Dou Dizhu: how many groups a hand takes", subtitle(by_size), Drawing::Bars(bars))
}

/// A row for each number of cards.
pub(super) fn grid(by_size: &BySize) -> Picture {
    let most = most(by_size);
    let row = |counts: &[u64; MOST_GROUPS as usize + 1]| {
        let all: u64 = counts.iter().sum();
        let cell = |hands: &u64| {
            let value = 100.0 * *hands as f64 / all as f64;
            let text = if value < 0.05 { "< 0.1".to_owned() } else { format!("{value:.1}") };
            (*hands > 0).then(|| Cell { value, lines: vec![text] })
        };
        counts[..=most].iter().map(cell).collect()
    };
    let grid = Grid {
        row_axis: "cards of the hand".to_owned(),
        column_axis: "fewest groups (legal plays) that use up the hand".to_owned(),
        row_labels: (0..by_size.len()).map(|cards| cards.to_string()).collect(),
        column_labels: (0..=most).map(|groups| groups.to_string()).collect(),
        cells: by_size.iter().map(row).collect(),
        scale: Scale {
            label: "share of the hands with so many cards, %".to_owned(),
            palette: Palette::Sequential { low: 0.0, high: 60.0 },
            missing: "no hand".to_owned(),
        },
    };
    let title = "Dou Dizhu: how many groups a hand takes, by its cards";
    Picture::of(title, subtitle(by_size), Drawing::Grid(grid))
        .note("Shares above 60 % have the lightest colour.")
}
