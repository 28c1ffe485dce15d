//! Known answers: whole matchups, cells and rows of the matrix. Every check takes the engine as a closure.

#[path = "support/csv.rs"]
mod csv;

use csv::{cards, rows};
use fulldeck_cards::{CardSet, Cluster, ClusterIndex, Clusters};
use fulldeck_eval::arch::Backend;
use fulldeck_omaha::rules::Rules;
use fulldeck_omaha::{Fast, Outcome};

/// Boards left when two hands of four are out.
const OMAHA_BOARDS: u64 = 1_086_008;

/// Checks the pairs of a file: win, tie and lose over `boards` boards.
fn check_pairs(
    file: &str,
    count: usize,
    boards: u64,
    matchup: impl Fn(CardSet, CardSet) -> Outcome,
) {
    for row in rows(file, count) {
        let (a, b) = (row.cards("hand_a"), row.cards("hand_b"));
        assert_eq!(row.outcome().total(), boards, "{file}: {a} - {b}");
        assert_eq!(matchup(a, b), row.outcome(), "{file}: {a} - {b}");
    }
}

/// Checks every known cell of the Omaha matrix: number of hands of b, and their outcomes together.
fn check_cells(cell: impl Fn(&Cluster, &Cluster) -> (u32, Outcome)) {
    let clusters = Clusters::new(4);
    let cluster = |hand: CardSet| clusters.cluster(clusters.index_of(hand));
    for row in rows("omaha_cells.csv", 19) {
        let (a, b) = (row.cards("rep_hand_a"), row.cards("rep_hand_b"));
        let (hands, outcome) = cell(cluster(a), cluster(b));
        assert_eq!(u64::from(hands), row.number("n_b_hands"), "{a} - {b}");
        assert_eq!(outcome, row.outcome(), "{a} - {b}");
    }
    for row in rows("omaha4_matrix_cells.csv", 125) {
        let (a, b) = (row.cards("rep_a"), row.cards("rep_b"));
        let patterns = [a, b].map(|hand| {
            clusters.groups()[clusters.group_of(clusters.index_of(hand))].pattern.to_string()
        });
        assert_eq!(patterns, [row.text("group_a"), row.text("group_b")]);
        let (hands, outcome) = cell(cluster(a), cluster(b));
        assert_eq!(outcome, row.outcome(), "{a} - {b}");
        assert_eq!(u64::from(hands) * OMAHA_BOARDS, outcome.total(), "{a} - {b}");
    }
}

/// Checks whole rows of the Omaha matrix, those of `chosen` hands: one hand against every disjoint hand.
fn check_rows(
    chosen: impl Fn(CardSet) -> bool,
    cell: impl Fn(&Cluster, &Cluster) -> (u32, Outcome),
) {
    let clusters = Clusters::new(4);
    let mut checked = 0;
    for row in rows("omaha4_rowsums_sample.csv", 40) {
        let hand = row.cards("rep_hand");
        if !chosen(hand) {
            continue;
        }
        let a = clusters.cluster(clusters.index_of(hand));
        assert_eq!(u64::from(a.orbit()), row.number("orbit_size"), "{hand}");
        let mut sum = (0, Outcome::default());
        for b in 0..clusters.len() as u32 {
            let (hands, outcome) = cell(a, clusters.cluster(ClusterIndex(b)));
            sum = (sum.0 + hands, sum.1 + outcome);
        }
        assert_eq!(sum, (194_580, row.outcome()), "{hand}");
        checked += 1;
    }
    assert!(checked > 0, "no row was chosen");
}

/// The engine's matchup of hands that are known to be disjoint.
fn matchup(rules: &Rules) -> impl Fn(CardSet, CardSet) -> Outcome {
    |a, b| rules.matchup(a, b).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn rules_plays_the_known_pairs() {
    check_pairs("omaha_pairs.csv", 69, OMAHA_BOARDS, matchup(&Rules::new(4)));
    check_pairs("omaha5_pairs.csv", 6, 850_668, matchup(&Rules::new(5)));
    check_pairs("holdem_pairs.csv", 6, 1_712_304, matchup(&Rules::new(2)));
}

#[test]
fn rules_computes_the_known_cells() {
    let rules = Rules::new(4);
    check_cells(|a, b| rules.cell(a, b));
}

/// Four aces: all suits look alike to them, so that each cell is one variant and the row is affordable.
#[test]
fn rules_adds_up_to_a_known_row() {
    let rules = Rules::new(4);
    let aces = cards("AsAhAdAc");
    check_rows(|hand| hand == aces, |a, b| rules.cell(a, b));
}

#[test]
fn rules_reproduces_published_matchups() {
    let published = [
        ("AsAhKsKh", "JcTc9d8d", [667_649, 86, 418_273]),
        ("2s2h2d2c", "3s3h3d3c", [0, 0, 1_086_008]),
        ("AcAs", "KhKd", [1_388_072, 6_538, 317_694]),
        ("AcAs", "KcKs", [1_410_336, 9_308, 292_660]),
    ];
    for (a, b, [win, tie, lose]) in published {
        let (a, b) = (cards(a), cards(b));
        assert_eq!(matchup(&Rules::new(a.len()))(a, b), Outcome { win, tie, lose }, "{a} - {b}");
    }
}

#[test]
fn fast_plays_the_known_pairs_on_every_back_end() {
    for backend in Backend::available() {
        for (file, count, cards, boards) in [
            ("omaha_pairs.csv", 69, 4, OMAHA_BOARDS),
            ("omaha5_pairs.csv", 6, 5, 850_668),
            ("holdem_pairs.csv", 6, 2, 1_712_304),
        ] {
            let fast = Fast::new(cards, backend);
            check_pairs(file, count, boards, |a, b| fast.matchup(a, b));
        }
    }
}

#[test]
fn fast_computes_the_known_cells_on_every_back_end() {
    for backend in Backend::available() {
        let fast = Fast::new(4, backend);
        check_cells(|a, b| fast.cell(a, b));
    }
}

#[test]
fn fast_adds_up_to_the_known_rows() {
    let fast = Fast::new(4, Backend::best());
    check_rows(|_| true, |a, b| fast.cell(a, b));
}
