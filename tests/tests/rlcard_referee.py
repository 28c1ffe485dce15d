"""RLCard as referee: games of our agents replayed card by card, and agent seed against RLCard's rule agent.

Usage: rlcard_referee.py FULLDECK GAMES. Prints what was counted as one JSON object.
"""

import json
import subprocess
import sys

import numpy as np
from rlcard.games.base import Card
from rlcard.games.doudizhu import Game, Judger
from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1

RANKS = "3456789TJQKA2BR"
JOKERS = {"B": "BJ", "R": "RJ"}
SUITS = "SHDC"


def cards(hands):
    """RLCard's cards for hands of ranks, ascending: suits are handed out in turn, they decide nothing."""
    used = {}
    def card(letter):
        if letter in JOKERS:
            return Card(JOKERS[letter], "")
        used[letter] = used.get(letter, -1) + 1
        return Card(SUITS[used[letter]], letter)
    return [[card(letter) for letter in sorted(hand, key=RANKS.index)] for hand in hands]


def replay(played):
    """Plays a recorded game; every move must be among those RLCard allows, and the same side must win."""
    game = Game()
    game.np_random = np.random.RandomState(0)
    game.init_game()
    hands = [played["hand_0"] + played["bottom"], played["hand_1"], played["hand_2"]]
    for player, hand in zip(game.players, cards(hands)):
        player.set_current_hand(hand)
    game.judger = Judger(game.players, game.np_random)
    game.state = state = game.get_state(0)
    moves = played["moves"].split(" ")
    for number, move in enumerate(moves):
        seat, action = move.split(":")
        assert not game.is_over(), f"RLCard ends deal {played['deal']} before {move}"
        assert int(seat) == state["self"], f"{move}: RLCard wants seat {state['self']}"
        assert action in state["actions"], f"deal {played['deal']}, turn {number}: RLCard forbids {move}"
        state, _ = game.step(action)
    assert game.is_over(), "RLCard goes on"
    winner = "landlord" if game.winner_id == 0 else "farmers"
    assert winner == played["winner"], f"RLCard says {winner} wins"
    return len(moves)


class Seed:
    """Agent seed, asked line by line."""

    def __init__(self, fulldeck):
        self.asked = {}
        for question in ["lead", "follow"]:
            self.asked[question] = subprocess.Popen(
                [fulldeck, "doudizhu", question, "--stdin"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.illegal = 0

    def step(self, state):
        hand, last = state["current_hand"], None
        for seat, action in reversed(state["trace"][-2:]):
            if action != "pass":
                last = action
                break
        line = f"{hand} --on {last}" if last else hand
        process = self.asked["follow" if last else "lead"]
        process.stdin.write(line + "\n")
        play = json.loads(process.stdout.readline())["play"]
        if play not in state["actions"]:
            self.illegal += 1
            play = sorted(state["actions"])[0]
        return play


class Rule:
    """RLCard's rule agent."""

    def __init__(self):
        self.agent = DouDizhuRuleAgentV1()

    def step(self, state):
        return self.agent.step({"raw_obs": state})


def win_rate(landlord, farmers, games, seed):
    """Share of games that the landlord wins; RLCard deals."""
    game = Game()
    game.np_random = np.random.RandomState(seed)
    np.random.seed(seed)
    wins = 0
    for _ in range(games):
        state, _ = game.init_game()
        while not game.is_over():
            agent = landlord if state["self"] == 0 else farmers
            state, _ = game.step(agent.step(state))
        wins += game.winner_id == 0
    return wins / games


def main():
    fulldeck, games = sys.argv[1], int(sys.argv[2])
    replayed = turns = 0
    for agents, deals in [("seed improved", 12), ("greedy random", 12), ("seed greedy", 12)]:
        words = [fulldeck, "doudizhu", "tournament", *agents.split(), "-o", "json"]
        words += ["--deals", str(deals), "--games", str(deals), "--seed", "21"]
        answer = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        for played in answer["games"]:
            turns += replay(played)
            replayed += 1
    seed, rule = Seed(fulldeck), Rule()
    print(json.dumps({
        "replayed": replayed,
        "turns": turns,
        "seed_rule": win_rate(seed, rule, games, 1),
        "rule_seed": win_rate(rule, seed, games, 2),
        "illegal": seed.illegal,
    }))


main()
