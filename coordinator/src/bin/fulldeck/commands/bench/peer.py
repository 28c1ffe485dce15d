"""Plays matchups with the package poker-equity on one thread: hands on standard input, a pair a line."""

import importlib.metadata
import json
import sys
import time

import poker_equity

GAMES = {2: "holdem", 4: "omaha", 5: "omaha_five", 6: "omaha_six"}

game = GAMES[int(sys.argv[1])]
print(json.dumps({"name": "poker-equity " + importlib.metadata.version("poker-equity")}))
for line in sys.stdin:
    hands = line.split()
    started = time.perf_counter()
    result = poker_equity.exact_from_text(game, hands)
    seconds = time.perf_counter() - started
    win, lose = map(int, result["win_count"])
    print(json.dumps({"seconds": seconds, "outcome": [win, result["samples"] - win - lose, lose]}))
