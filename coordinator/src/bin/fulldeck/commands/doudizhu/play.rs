//! `fulldeck doudizhu play`: one person against two agents.

use std::io::{BufRead, Write};

use clap::Args;
use fulldeck_common::doudizhu::agents::seed::{Evaluator, Prune};
use fulldeck_common::doudizhu::agents::{Agent, AgentKind};
use fulldeck_common::doudizhu::cards::{Hand, parse_hand};
use fulldeck_common::doudizhu::game::{
    AuctionKind, Deal, Game, Random, Score, Scoring, Seat, View, deals, hold_auction,
};
use fulldeck_common::doudizhu::hints;
use fulldeck_common::doudizhu::moves::{Move, RuleSet, identify};
use fulldeck_service::exit;

use super::tournament::Landlord;
use crate::app::App;
use crate::error::CliError;

const PURPOSE: &[u8; 24] = b"fulldeck doudizhu table\0";
/// Memory of the bidders' values: 512 KiB.
const MEMORY_BITS: u32 = 16;
/// Longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 4 << 10;
const HELP: &str = "cards to play them, p to pass, h for a hint (h AGENT for another's), c to count what is \
    still out, ? for this, q to quit";

/// A game for a person.
#[derive(Debug, Args)]
pub(super) struct Play {
    /// Your seat: 0, 1 or 2
    #[arg(long, env = "FULLDECK_SEAT", value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=2))]
    seat: u8,
    /// The two agents, in order of play after you
    #[arg(long, env = "FULLDECK_AGENTS", value_name = "A,B", value_delimiter = ',')]
    #[arg(default_value = "improved,improved")]
    agents: Vec<AgentKind>,
    /// Agent that gives hints
    #[arg(long, env = "FULLDECK_HINT", value_name = "AGENT", default_value = "improved")]
    hint: AgentKind,
    /// Number of the deck
    #[arg(long, env = "FULLDECK_SEED", value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of the deal
    #[arg(long, env = "FULLDECK_INDEX", value_name = "N", default_value_t = 0)]
    index: u64,
    /// Who becomes landlord
    #[arg(long, env = "FULLDECK_LANDLORD", value_name = "HOW", default_value = "bid")]
    landlord: Landlord,
    /// Rules of the wings: strict, wide, or some of both-jokers, four-alike, neighbours, four-as-pairs
    #[arg(long, env = "FULLDECK_RULES", value_name = "RULES", default_value = "strict")]
    rules: RuleSet,
}

pub(super) fn execute(asked: &Play, _app: &App) -> Result<u8, CliError> {
    let [left, right] = asked.agents[..] else {
        return Err(CliError::usage(format!(
            "{} agents given: two are right, e.g. improved,seed",
            asked.agents.len()
        )));
    };
    let person = Seat::new(asked.seat.into());
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut table = Table {
        input: &mut input,
        out: &mut out,
        person,
        names: [left, right],
        players: [left.player(), right.player()],
        hint: asked.hint,
        random: Random::stream(asked.seed, PURPOSE, asked.index),
    };
    match table.sit_down(asked) {
        Err(Ended::Error(error)) => Err(error),
        Err(Ended::Quit) | Ok(()) => Ok(exit::OK),
    }
}

/// Why a game stops before its end.
enum Ended {
    Quit,
    Error(CliError),
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        Self::Error(error.into())
    }
}

/// A person, two agents, and the words between them.
struct Table<'a> {
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
    person: Seat,
    /// In order of play after the person.
    names: [AgentKind; 2],
    players: [Box<dyn Agent>; 2],
    hint: AgentKind,
    random: Random,
}

impl Table<'_> {
    fn sit_down(&mut self, asked: &Play) -> Result<(), Ended> {
        for deal in deals(asked.seed, asked.index) {
            let own = deal.hands[self.person.index()];
            writeln!(self.out, "you are at seat {}: {own}", self.person)?;
            let Some((landlord, bid)) = self.auction(asked, &deal)? else {
                writeln!(self.out, "nobody bids: the cards are thrown in and dealt again")?;
                continue;
            };
            let (name, is, takes) = match self.name(landlord) {
                name if landlord == self.person => (name, "are", "take"),
                name => (name, "is", "takes"),
            };
            writeln!(self.out, "{name} {is} landlord for {bid} and {takes} {}", deal.bottom)?;
            let hands = deal.with_landlord(landlord);
            let mut game = Game::new(hands, deal.bottom, landlord, asked.rules);
            while game.score().is_none() {
                self.turn(&mut game)?;
            }
            if let Some(score) = game.score() {
                self.end(&game, &score, bid)?;
            }
            return Ok(());
        }
        Ok(())
    }

    /// The landlord and the bid, or nothing when nobody wants.
    fn auction(&mut self, asked: &Play, deal: &Deal) -> Result<Option<(Seat, u32)>, Ended> {
        let kind = match asked.landlord {
            Landlord::Seat0 => return Ok(Some((Seat::new(0), 1))),
            Landlord::Bid => AuctionKind::Bid,
            Landlord::Rob => AuctionKind::Rob,
        };
        let mut evaluator = Evaluator::new(Prune::Series, MEMORY_BITS);
        let mut wishes = [0; 3];
        for seat in Seat::ALL {
            let usual = evaluator.bid(deal.hands[seat.index()]);
            wishes[seat.index()] = if seat == self.person { self.ask_bid(usual)? } else { usual };
            if seat != self.person {
                writeln!(self.out, "{} bids {usual}", self.name(seat))?;
            }
            if kind == AuctionKind::Bid && wishes[seat.index()] == 3 {
                break;
            }
        }
        Ok(hold_auction(kind, wishes).map(|auction| (auction.landlord, auction.bid)))
    }

    fn ask_bid(&mut self, usual: u32) -> Result<u32, Ended> {
        loop {
            let line = self.ask("your bid, 0 to 3 (h for a hint)")?;
            match line.as_str() {
                "h" => writeln!(self.out, "seed would bid {usual}")?,
                "p" => return Ok(0),
                line => match line.parse::<u32>().ok().filter(|bid| *bid <= 3) {
                    Some(bid) => return Ok(bid),
                    None => writeln!(self.out, "'{line}' is no bid: 0 (pass), 1, 2 or 3")?,
                },
            }
        }
    }

    fn turn(&mut self, game: &mut Game) -> Result<(), Ended> {
        let seat = game.turn();
        let play = if seat == self.person {
            self.ask_play(game)?
        } else {
            let place = (3 + seat.index() - self.person.index()) % 3 - 1;
            let view = game.view();
            self.players[place].decide(&view, &mut self.random).play
        };
        game.play(play).map_err(|error| {
            Ended::Error(CliError::unexpected(format!(
                "{} breaks the rules: {error}",
                self.name(seat)
            )))
        })?;
        let left = game.hands()[seat.index()].len();
        let text = play.map_or_else(|| "pass".to_owned(), |mv| mv.to_string());
        let role = seat.role(game.landlord());
        writeln!(self.out, "{:12} {role:11} {text:20} {left:2} left", self.name(seat))?;
        Ok(())
    }

    /// What the person plays: asked again until the rules allow it.
    fn ask_play(&mut self, game: &Game) -> Result<Option<Move>, Ended> {
        let view = game.view();
        let prompt = match view.last {
            None => format!("{} | you lead", view.hand),
            Some(last) => format!("{} | on {} of {}", view.hand, last.mv, self.name(last.by)),
        };
        loop {
            let line = self.ask(&prompt)?;
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some("h"), agent) => self.show_hint(&view, agent)?,
                (Some("c"), None) => writeln!(self.out, "still out: {}", spaced(view.unseen()))?,
                (Some("?"), None) => writeln!(self.out, "{HELP}")?,
                (None, _) => writeln!(self.out, "{HELP}")?,
                _ => match read_play(&view, &line) {
                    Ok(play) => return Ok(play),
                    Err(reason) => writeln!(self.out, "{reason}")?,
                },
            }
        }
    }

    fn show_hint(&mut self, view: &View<'_>, agent: Option<&str>) -> Result<(), Ended> {
        let agent = match agent.map(str::parse::<AgentKind>) {
            None => self.hint,
            Some(Ok(agent)) => agent,
            Some(Err(error)) => return Ok(writeln!(self.out, "{error}")?),
        };
        for line in hints::hint(agent, view, &mut self.random) {
            writeln!(self.out, "  {line}")?;
        }
        Ok(())
    }

    fn ask(&mut self, prompt: &str) -> Result<String, Ended> {
        write!(self.out, "{prompt}> ")?;
        self.out.flush()?;
        let mut line = Vec::new();
        let read =
            std::io::Read::take(&mut *self.input, MAX_LINE_BYTES).read_until(b'\n', &mut line);
        let read = read.map_err(|error| {
            Ended::Error(CliError::usage(format!("cannot read standard input: {error}")))
        })?;
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if read == 0 || line == "q" {
            writeln!(self.out, "good bye")?;
            return Err(Ended::Quit);
        }
        Ok(line)
    }

    fn end(&mut self, game: &Game, score: &Score, bid: u32) -> Result<(), Ended> {
        let winner = if score.landlord_won { "the landlord wins" } else { "the farmers win" };
        let landlord = score.landlord(bid, Scoring::default());
        let own = if game.landlord() == self.person { landlord } else { -landlord / 2 };
        let spring = if score.spring { ", spring" } else { "" };
        writeln!(
            self.out,
            "{winner} (bid {bid}, {} bombs{spring}): you score {own:+}",
            score.bombs
        )?;
        for seat in Seat::ALL {
            let hand = game.hands()[seat.index()];
            if !hand.is_empty() {
                writeln!(self.out, "{} has left {hand}", self.name(seat))?;
            }
        }
        Ok(())
    }

    fn name(&self, seat: Seat) -> String {
        match (3 + seat.index() - self.person.index()) % 3 {
            0 => "you".to_owned(),
            place => format!("{seat} {}", self.names[place - 1]),
        }
    }
}

/// What a line says, if the rules allow it.
fn read_play(view: &View<'_>, line: &str) -> Result<Option<Move>, String> {
    let play = match line {
        "p" | "pass" => None,
        line => {
            let cards = parse_hand(line).map_err(|error| error.to_string())?;
            let kind = view.last.map(|last| last.mv.kind);
            let as_last = kind.and_then(|kind| identify(cards, Some(kind), view.rules).ok());
            let mv = as_last.map_or_else(|| identify(cards, None, view.rules), Ok);
            Some(mv.map_err(|error| error.to_string())?)
        }
    };
    view.check(play).map_err(|error| error.to_string())?;
    Ok(play)
}

/// Cards with a gap between ranks.
fn spaced(cards: Hand) -> String {
    let ranks = cards.ranks().iter();
    let runs: Vec<_> = ranks.map(|rank| Hand::of(rank, cards.count(rank)).to_string()).collect();
    runs.join(" ")
}
