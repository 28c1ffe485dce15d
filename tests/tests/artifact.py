"""Reads a hold'em artifact with numpy and csv alone, by docs/formats/artifact.md, and recounts what can be recounted.

Arguments: the folder, and for some cells the answers of `fulldeck query`, as a list in JSON.
"""

import csv
import itertools
import json
import math
import sys

import numpy as np

SUITS = "shdc"
folder, answers = sys.argv[1], json.loads(sys.argv[2])
manifest = json.load(open(f"{folder}/manifest.json"))
facts = manifest["facts"]
win, tie = (np.load(f"{folder}/{name}.npy", mmap_mode="r") for name in ("win", "tie"))
clusters = list(csv.DictReader(open(f"{folder}/clusters.csv", newline="")))
N, boards = len(clusters), math.comb(48, 5)

for array in (win, tie):
    assert isinstance(array, np.memmap) and array.offset % 64 == 0
    assert array.dtype == np.dtype("<u4") and array.shape == (N * (N + 1) // 2,)
assert N == facts["clusters"] == 169 and boards == facts["boards"] == 1_712_304


def cards(hand):
    return frozenset(hand[at : at + 2] for at in range(0, len(hand), 2))


def members(hand):
    """The hands of a cluster: its representative under all permutations of suits."""
    turns = (dict(zip(SUITS, turned)) for turned in itertools.permutations(SUITS))
    return {frozenset(card[0] + turn[card[1]] for card in hand) for turn in turns}


first = [cards(row["representative"]) for row in clusters]
hands = [members(hand) for hand in first]
orbit = [int(row["orbit"]) for row in clusters]
assert [int(row["index"]) for row in clusters] == list(range(N))
assert [len(hand) for hand in hands] == orbit and sum(orbit) == math.comb(52, 2)
assert len(frozenset().union(*hands)) == sum(orbit), "clusters share no hand"


def position(i, j):
    return i * (2 * N - i + 1) // 2 + (j - i)


assert sorted(position(i, j) for i in range(N) for j in range(i, N)) == list(range(len(win)))


def cell(i, j):
    """Hands, wins, ties and losses of cluster i's representative against cluster j."""
    n = sum(first[i].isdisjoint(hand) for hand in hands[j])
    if i <= j:
        at = position(i, j)
        won, tied = int(win[at]), int(tie[at])
        return n, won, tied, n * boards - won - tied
    # orbit(i) * win(i, j) = orbit(j) * lose(j, i), and the same for ties and for n.
    other = [orbit[j] * count for count in cell(j, i)]
    assert all(count % orbit[i] == 0 for count in other), (i, j, other)
    mirrored, lost, tied, won = (count // orbit[i] for count in other)
    assert mirrored == n
    return n, won, tied, lost


totals = [0, 0, 0, 0]
for i in range(N):
    row = [cell(i, j) for j in range(N)]
    assert all(count >= 0 for counts in row for count in counts), clusters[i]
    n, *outcomes = map(sum, zip(*row))
    assert n == math.comb(50, 2) == 1_225
    assert sum(outcomes) == 1_225 * 1_712_304
    totals = [total + orbit[i] * count for total, count in zip(totals, (n, *outcomes))]
names = ("hand_pairs", "win", "tie", "lose")
assert totals == [facts[name] for name in names], (totals, facts)
assert totals[1] == totals[3], "what one hand wins the other loses"

of_hand = {hand: index for index, cluster in enumerate(hands) for hand in cluster}
for answer in answers:
    i, j = (of_hand[cards(answer[name])] for name in ("hand_a", "hand_b"))
    asked = tuple(answer[name] for name in ("n", "win", "tie", "lose"))
    assert cell(i, j) == asked, (answer, cell(i, j))
print(f"{N * N} cells recounted, {len(answers)} answers compared")
