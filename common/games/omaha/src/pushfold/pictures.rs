//! Pictures of solutions: one stack, or many.

use fulldeck_cards::{ClusterIndex, Clusters};
use fulldeck_job::picture::{
    Axis, Bars, Cell, Curves, Drawing, Palette, Panel, Picture, Scale, Series,
};

use super::{Payoffs, Stakes, Strategies};
use crate::pictures::{Strengths, game, grid};

/// Steps of strength, each of the same number of hands.
const STEPS: usize = 50;

/// The two decisions: name, title, and where they are among the strategies.
type Decision = (&'static str, &'static str, fn(&Strategies) -> &[f64]);
const DECISIONS: [Decision; 2] = [
    ("push", "Small blind: how often it pushes", |strategies| &strategies.push),
    ("call", "Big blind: how often it calls a push", |strategies| &strategies.call),
];

/// One stack of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Stack in big blinds.
    pub stack: f64,
    /// What the small blind wins, in big blinds a hand.
    pub value: f64,
    /// Share of the hands that the small blind pushes, in percent.
    pub push_percent: f64,
    /// Share of the hands that the big blind calls, in percent.
    pub call_percent: f64,
}

fn picture(cards: usize, what: &str, subtitle: String, panels: Vec<Panel>) -> Picture {
    Picture {
        title: format!("{}, heads-up push or fold: {what}", game(cards)),
        subtitle,
        panels,
        columns: 2,
        notes: Vec::new(),
        source: String::new(),
    }
}

fn panel(title: impl Into<String>, drawing: Drawing) -> Panel {
    Panel { title: title.into(), drawing }
}

/// What both players do with one stack: for hold'em every class, else by suit pattern and by strength.
#[must_use]
pub fn one_stack(payoffs: &Payoffs, stakes: &Stakes, strategies: &Strategies) -> Picture {
    let clusters = payoffs.matrix.clusters();
    let subtitle = format!(
        "stack {} big blinds, blinds {} and 1, ante {}",
        stakes.stack(),
        stakes.small_blind(),
        stakes.ante()
    );
    let panels = match clusters.cards() {
        2 => DECISIONS.map(|decision| class_chart(clusters, strategies, decision)).into(),
        _ => vec![
            by_pattern(clusters, strategies),
            by_strength(clusters, &payoffs.strengths(), strategies),
        ],
    };
    picture(clusters.cards(), "equilibrium strategies", subtitle, panels)
}

fn class_chart(clusters: &Clusters, strategies: &Strategies, (_, title, of): Decision) -> Panel {
    let palette = Palette::Diverging { centre: 50.0, reach: 50.0 };
    let label = "frequency, %".to_owned();
    let scale = Scale { label, palette, missing: String::new() };
    let cell = |cluster: usize, class: String| {
        let value = 100.0 * of(strategies)[cluster];
        Cell { value, lines: vec![class, format!("{value:.0}")] }
    };
    let played = mean(clusters, of(strategies), |_| true);
    let title = format!("{title} ({played:.1} % of all hands)");
    panel(title, Drawing::Grid(grid::holdem(clusters, scale, cell)))
}

/// Mean over the hands of chosen clusters, in percent.
fn mean(clusters: &Clusters, shares: &[f64], chosen: impl Fn(usize) -> bool) -> f64 {
    let (mut played, mut hands) = (0.0, 0.0);
    for (cluster, share) in shares.iter().enumerate().filter(|(cluster, _)| chosen(*cluster)) {
        let orbit = f64::from(clusters.as_slice()[cluster].orbit());
        played += orbit * share;
        hands += orbit;
    }
    100.0 * played / hands
}

fn by_pattern(clusters: &Clusters, strategies: &Strategies) -> Panel {
    let groups = clusters.groups();
    let of_group = |shares: &[f64], number: usize| {
        mean(clusters, shares, |cluster| clusters.group_of(ClusterIndex(cluster as u32)) == number)
    };
    let series = DECISIONS.map(|(name, _, of)| {
        let shares = (0..groups.len()).map(|number| of_group(of(strategies), number));
        (name.to_owned(), shares.collect())
    });
    let bars = Bars {
        category_axis: "suit pattern".to_owned(),
        categories: groups.iter().map(|group| group.pattern.to_string()).collect(),
        values: Axis::even("frequency, %").including([0.0, 100.0]),
        series: series.into(),
    };
    panel("By suit pattern", Drawing::Bars(bars))
}

fn by_strength(clusters: &Clusters, strengths: &Strengths, strategies: &Strategies) -> Panel {
    let hands: u64 = clusters.as_slice().iter().map(|cluster| u64::from(cluster.orbit())).sum();
    let mut step_of = vec![0; clusters.len()];
    let mut before = 0;
    for cluster in strengths.strongest_first() {
        step_of[cluster] = (before * STEPS as u64 / hands) as usize;
        before += u64::from(clusters.as_slice()[cluster].orbit());
    }
    let series = DECISIONS.map(|(name, _, of)| {
        let points = (0..STEPS).map(|step| {
            let share = (step as f64 + 0.5) * 100.0 / STEPS as f64;
            [share, mean(clusters, of(strategies), |cluster| step_of[cluster] == step)]
        });
        Series { name: name.to_owned(), points: points.collect() }
    });
    let curves = Curves {
        x: Axis::even("share of all hands, strongest against a random hand first, %")
            .including([0.0, 100.0]),
        y: Axis::even("frequency, %").including([0.0, 100.0]),
        series: series.into(),
    };
    panel("By strength against a random hand", Drawing::Curves(curves))
}

/// Value and frequencies over the stack.
#[must_use]
pub fn sweep(cards: usize, small_blind: f64, ante: f64, solved: &[Solved]) -> Picture {
    let line = |name: &str, of: fn(&Solved) -> f64| Series {
        name: name.to_owned(),
        points: solved.iter().map(|one| [one.stack, of(one)]).collect(),
    };
    let curves = |label: &str, includes: Vec<f64>, series: Vec<Series>| {
        Drawing::Curves(Curves {
            x: Axis::even("stack, big blinds"),
            y: Axis::even(label).including(includes),
            series,
        })
    };
    let value = vec![line("value", |one| one.value)];
    let shares = vec![line("push", |one| one.push_percent), line("call", |one| one.call_percent)];
    let panels = vec![
        panel("What the small blind wins", curves("value, big blinds a hand", vec![0.0], value)),
        panel("What is played", curves("share of all hands, %", vec![0.0, 100.0], shares)),
    ];
    let subtitle = format!("blinds {small_blind} and 1, ante {ante}");
    picture(cards, "equilibria over the stack", subtitle, panels)
}
