//! How strong hands are against a random one, by suit pattern.

use fulldeck_cards::{ClusterIndex, Clusters};
use fulldeck_job::picture::{Axis, Curves, Drawing, Panel, Picture, Series};

use super::{Strengths, game};

/// Points of a line of equities over shares.
const SHARES: usize = 200;

/// Hands of one pattern, or all: strength in percent and number of hands, the strongest first.
struct Hands {
    name: String,
    strongest: Vec<(f64, u64)>,
}

impl Hands {
    fn count(&self) -> u64 {
        self.strongest.iter().map(|(_, hands)| hands).sum()
    }

    /// Share of the hands in each step of equity, in percent, at the step's middle.
    fn histogram(&self, step: f64) -> Vec<[f64; 2]> {
        let place = |strength: f64| (strength / step) as usize;
        let of = |end: Option<&(f64, u64)>| end.map_or(0, |(strength, _)| place(*strength));
        let (last, first) = (of(self.strongest.first()), of(self.strongest.last()));
        let mut counts = vec![0; last - first + 1];
        self.strongest
            .iter()
            .for_each(|(strength, hands)| counts[place(*strength) - first] += hands);
        let all = self.count() as f64;
        let points = (first..)
            .zip(counts)
            .map(|(place, hands)| [(place as f64 + 0.5) * step, 100.0 * hands as f64 / all]);
        points.collect()
    }

    /// Strength over the share of hands that are at least as strong.
    fn curve(&self) -> Vec<[f64; 2]> {
        let all = self.count();
        let (mut passed, mut rest) = (0, self.strongest.iter());
        let mut strength = self.strongest.first().map_or(0.0, |(strength, _)| *strength);
        let points = (0..=SHARES).map(|share| {
            while passed * (SHARES as u64) < share as u64 * all {
                let Some((next, hands)) = rest.next() else { break };
                (strength, passed) = (*next, passed + hands);
            }
            [100.0 * share as f64 / SHARES as f64, strength]
        });
        points.collect()
    }
}

pub(super) fn picture(clusters: &Clusters, strengths: &Strengths) -> Picture {
    let order = strengths.strongest_first();
    let chosen = |name: String, of: &dyn Fn(usize) -> bool| {
        let hands = order.iter().filter(|cluster| of(**cluster)).map(|cluster| {
            (strengths.percent(*cluster), clusters.as_slice()[*cluster].orbit().into())
        });
        Hands { name, strongest: hands.collect() }
    };
    let mut patterns: Vec<Hands> = clusters
        .groups()
        .iter()
        .enumerate()
        .map(|(number, group)| {
            let is_of =
                move |cluster: usize| clusters.group_of(ClusterIndex(cluster as u32)) == number;
            chosen(group.pattern.to_string(), &is_of)
        })
        .collect();
    patterns.push(chosen("all hands".to_owned(), &|_| true));
    let step = if clusters.cards() == 2 { 4.0 } else { 2.0 };
    let series = |points: &dyn Fn(&Hands) -> Vec<[f64; 2]>| -> Vec<Series> {
        let of = |hands: &Hands| Series { name: hands.name.clone(), points: points(hands) };
        patterns.iter().map(of).collect()
    };
    let panels = [
        (
            "How many hands are so strong",
            Axis::even("equity against a random hand, %"),
            Axis::even(format!("share of the pattern's hands, % a step of {step} %")),
            series(&|hands| hands.histogram(step)),
        ),
        (
            "How strong the best hands are",
            Axis::even("share of the pattern's hands, strongest first, %"),
            Axis::even("equity against a random hand, %"),
            series(&|hands| hands.curve()),
        ),
    ];
    let panels = panels.map(|(title, x, y, series)| Panel {
        title: title.to_owned(),
        drawing: Drawing::Curves(Curves { x, y, series }),
    });
    Picture {
        title: format!("{}: strength of starting hands by suit pattern", game(clusters.cards())),
        subtitle: "equity against a random hand, all boards; equal letters of a pattern are cards of one suit"
            .to_owned(),
        panels: panels.into(),
        columns: 2,
        notes: Vec::new(),
        source: String::new(),
    }
}
