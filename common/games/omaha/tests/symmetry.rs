//! What must hold for all hands: suits have no names, and each side sees the other's outcome.

use std::sync::LazyLock;

use fulldeck_cards::{Card, CardSet, Cluster, ClusterIndex, Clusters, SUITS};
use fulldeck_omaha::Outcome;
use fulldeck_omaha::rules::Rules;
use proptest::prelude::*;

/// One engine for each game.
static ENGINES: LazyLock<Vec<Rules>> = LazyLock::new(|| [2, 4, 5, 6].map(Rules::new).to_vec());
static OMAHA: LazyLock<Clusters> = LazyLock::new(|| Clusters::new(4));
static HOLDEM: LazyLock<Clusters> = LazyLock::new(|| Clusters::new(2));

fn engine(cards: usize) -> &'static Rules {
    ENGINES.iter().find(|rules| rules.cards() == cards).expect("an engine for each game")
}

fn hands() -> impl Strategy<Value = (CardSet, CardSet)> {
    let deck: Vec<Card> = Card::all().collect();
    (Just(deck).prop_shuffle(), prop::sample::select(vec![2usize, 4, 5, 6])).prop_map(
        |(deck, hole)| {
            let set = |first: usize| deck[first..first + hole].iter().copied().collect();
            (set(0), set(hole))
        },
    )
}

fn rename(hand: CardSet, order: &[usize]) -> CardSet {
    let suits = hand.suits();
    CardSet::from_suits(std::array::from_fn(|suit| suits[order[suit]]))
}

/// orbit(i) * win(i, j) = orbit(j) * lose(j, i), and the same for ties and numbers of hands.
fn orbits_agree(rules: &Rules, a: &Cluster, b: &Cluster) -> Result<(), TestCaseError> {
    let ((hands_ab, ab), (hands_ba, ba)) = (rules.cell(a, b), rules.cell(b, a));
    let (orbit_a, orbit_b) = (u64::from(a.orbit()), u64::from(b.orbit()));
    prop_assert_eq!(ab * orbit_a, ba.swapped() * orbit_b);
    prop_assert_eq!(u64::from(hands_ab) * orbit_a, u64::from(hands_ba) * orbit_b);
    if a == b {
        prop_assert_eq!(ab.win, ab.lose);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn suits_have_no_names(
        (a, b) in hands(),
        order in Just((0..SUITS).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let rules = engine(a.len());
        prop_assert_eq!(
            rules.matchup(rename(a, &order), rename(b, &order)),
            rules.matchup(a, b)
        );
    }

    #[test]
    fn the_other_side_sees_the_swapped_outcome((a, b) in hands()) {
        let rules = engine(a.len());
        prop_assert_eq!(rules.matchup(b, a).map(Outcome::swapped), rules.matchup(a, b));
    }

    #[test]
    fn omaha_cells_agree_with_their_mirror(a in 0..16_432u32, b in 0..16_432u32) {
        let [a, b] = [a, b].map(|index| OMAHA.cluster(ClusterIndex(index)));
        orbits_agree(engine(4), a, b)?;
    }

    #[test]
    fn holdem_cells_agree_with_their_mirror(a in 0..169u32, b in 0..169u32) {
        let [a, b] = [a, b].map(|index| HOLDEM.cluster(ClusterIndex(index)));
        orbits_agree(engine(2), a, b)?;
    }

    #[test]
    fn the_diagonal_is_even(a in 0..16_432u32) {
        let a = OMAHA.cluster(ClusterIndex(a));
        orbits_agree(engine(4), a, a)?;
    }
}
