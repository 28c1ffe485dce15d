//! The command line: global flags, and how a command finds its coordinator and its data.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, Parser, Subcommand};
use fulldeck_common::Backend;

use crate::commands;
pub(crate) use crate::output::ColorWhen;
use crate::output::Format;

/// Exact, exhaustive, resumable enumeration of card games, on one machine or many
#[derive(Debug, Parser)]
#[command(name = "fulldeck", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 run failed, \
    5 timed out, 6 mismatch, 7 unreachable, 8 version conflict, 9 store damaged, 10 resumable.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags every command takes.
#[derive(Debug, Args)]
#[command(next_display_order = 1000)]
pub(crate) struct Global {
    /// Shape of what is printed on standard output
    #[arg(short, long, global = true, env = "FULLDECK_OUTPUT", value_name = "FORMAT")]
    #[arg(default_value = "table")]
    pub(crate) output: Format,
    /// When to use colour
    #[arg(long, global = true, env = "FULLDECK_COLOR", value_name = "WHEN")]
    #[arg(default_value = "auto")]
    pub(crate) color: ColorWhen,
    /// Say nothing but errors on standard error
    #[arg(short, long, global = true, env = "FULLDECK_QUIET", conflicts_with = "verbose")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    pub(crate) quiet: bool,
    /// Say more on standard error; twice for even more
    #[arg(short, long, global = true, env = "FULLDECK_VERBOSE", action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Draw no progress bars
    #[arg(long, global = true, env = "FULLDECK_NO_PROGRESS")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    pub(crate) no_progress: bool,
    /// Instructions the kernels use: portable, avx2 or avx512 [default: the fastest of this processor]
    #[arg(long, global = true, env = "FULLDECK_CPU", value_name = "NAME")]
    pub(crate) cpu: Option<Backend>,
}

/// Where the data of this machine is.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataDir {
    /// Folder of checkpoint and artifacts
    #[arg(
        long,
        env = "FULLDECK_DATA_DIR",
        value_name = "FOLDER",
        default_value = "./fulldeck-data"
    )]
    pub(crate) data_dir: PathBuf,
}

impl DataDir {
    /// The file a running coordinator leaves there.
    pub(crate) fn access_file(&self) -> PathBuf {
        self.data_dir.join("access.toml")
    }

    /// The folder of the merged artifacts.
    pub(crate) fn artifacts(&self) -> PathBuf {
        self.data_dir.join("artifacts")
    }
}

/// How a command finds a running coordinator: told outright, or by the access file in the data folder.
#[derive(Clone, Debug, Args)]
pub(crate) struct Link {
    #[command(flatten)]
    pub(crate) data: DataDir,
    /// Address of the coordinator, http://host:port; needs --token-file
    #[arg(long, env = "FULLDECK_COORDINATOR", value_name = "URL", requires = "token_file")]
    pub(crate) coordinator: Option<String>,
    /// File that holds the coordinator's token
    #[arg(long, env = "FULLDECK_TOKEN_FILE", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Access file of the coordinator [default: access.toml in the data folder]
    #[arg(long, env = "FULLDECK_ACCESS", value_name = "FILE", conflicts_with = "coordinator")]
    pub(crate) access: Option<PathBuf>,
}

/// One job of a run instead of the whole.
#[derive(Clone, Debug, Args)]
pub(crate) struct Part {
    /// The part of this job alone, e.g. aabc-aabb
    #[arg(long, env = "FULLDECK_ONLY", value_name = "JOB")]
    pub(crate) only: Option<String>,
}

/// Workload and parameters of a run.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunArgs {
    /// What is to be computed: see `fulldeck workloads`
    pub(crate) workload: String,
    /// A parameter, name=value; may be repeated (in the variable: separated by spaces)
    #[arg(short, long = "parameter", env = "FULLDECK_PARAMETERS", value_name = "NAME=VALUE")]
    #[arg(value_delimiter = ' ')]
    pub(crate) parameters: Vec<String>,
    /// Wanted number of slices; 0 leaves it to the planner. Changes the plan, never the artifact
    #[arg(long, env = "FULLDECK_SLICES", value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=i64::from(fulldeck_job::MAX_SLICES)))]
    pub(crate) slices: u32,
}

/// What a person may ask for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compute a workload here: plan, compute, checkpoint, merge; started again, it resumes
    Run(commands::run::Arguments),
    /// Serve runs to workers, on this machine or others
    Coordinator(commands::coordinator::Arguments),
    /// Compute for a coordinator
    Worker(commands::worker::Arguments),
    /// List what can be computed, or what one workload takes and costs
    Workloads(commands::workloads::Arguments),
    /// Hand a run to a coordinator
    Submit(commands::submit::Arguments),
    /// Show the runs, or one run
    Status(commands::status::Arguments),
    /// Wait until a run is finished
    Wait(commands::wait::Arguments),
    /// List the workers of a coordinator
    Workers(commands::workers::Arguments),
    /// Merge a finished run into its artifact
    Merge(commands::merge::Arguments),
    /// Ask a merged run: for omaha, one hand or two
    Query(commands::query::Arguments),
    /// Recompute a sample of a merged run with an independent engine
    Verify(commands::verify::Arguments),
    /// Omaha questions that need no run
    Omaha(commands::omaha::Arguments),
    /// Questions about hold'em with jokers that need no run
    Joker(commands::joker::Arguments),
    /// Find equilibrium strategies from a merged matrix
    Solve(commands::solve::Arguments),
    /// Measure how fast this machine is
    Bench(commands::bench::Arguments),
    /// Betting trees: numbers of strategies, decisions and information sets
    Betting(commands::betting::Arguments),
    /// The basket game: play it, solve it, count it
    Basket(commands::basket::Arguments),
    /// Dou Dizhu: hands, deals, endgames, contests of agents, and a game to play
    #[command(name = "doudizhu")]
    DouDizhu(commands::doudizhu::Arguments),
    /// Print a completion script for a shell
    Completions(commands::completions::Arguments),
    /// Print the manual page, of the program or of one command
    Man(commands::man::Arguments),
    /// Look whether this machine is ready
    Doctor(commands::doctor::Arguments),
}

/// What the command line says about output, found out before it is parsed: an error in it is shown in that shape.
pub(crate) struct Preview {
    pub(crate) json: bool,
    pub(crate) color: ColorWhen,
}

impl Preview {
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        let value = |names: [&str; 2], variable: &str| {
            option(arguments, names).or_else(|| std::env::var(variable).ok())
        };
        let format = value(["-o", "--output"], "FULLDECK_OUTPUT");
        let color = match value(["", "--color"], "FULLDECK_COLOR").as_deref() {
            Some("always") => ColorWhen::Always,
            Some("never") => ColorWhen::Never,
            _ => ColorWhen::Auto,
        };
        Self { json: matches!(format.as_deref(), Some("json" | "jsonl")), color }
    }
}

/// The last value of an option among raw arguments; `names` are its short (or nothing) and its long form.
fn option(arguments: &[OsString], [short, long]: [&str; 2]) -> Option<String> {
    let mut found = None;
    let mut words = arguments.iter().filter_map(|word| word.to_str()).take_while(|w| *w != "--");
    while let Some(word) = words.next() {
        if word == long || (!short.is_empty() && word == short) {
            found = words.next();
        } else if let Some(value) = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='))
        {
            found = Some(value);
        } else if !short.is_empty()
            && !word.starts_with("--")
            && let Some(value) = word.strip_prefix(short)
        {
            found = Some(value.trim_start_matches('='));
        }
    }
    found.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_flag_has_its_variable() {
        fn check(command: &clap::Command, path: &str) {
            for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let name = argument.get_id().as_str();
                if !["help", "version"].contains(&name) {
                    let variable = argument.get_env().and_then(|variable| variable.to_str());
                    assert!(
                        variable.is_some_and(|variable| variable.starts_with("FULLDECK_")),
                        "{path}: --{name} has no FULLDECK_ variable"
                    );
                }
            }
            for child in command.get_subcommands() {
                check(child, &format!("{path} {}", child.get_name()));
            }
        }
        check(&Cli::command(), "fulldeck");
    }

    #[test]
    fn the_shape_is_known_before_parsing() {
        let json = |words: &[&str]| {
            Preview::of(&words.iter().map(OsString::from).collect::<Vec<_>>()).json
        };
        for words in
            [&["run", "-o", "json"][..], &["-ojson"], &["--output=jsonl"], &["-o=json", "--bad"]]
        {
            assert!(json(words), "{words:?}");
        }
        assert!(
            !json(&["-o", "table"]) && !json(&["--", "-o", "json"]) && !json(&["--only", "json"])
        );
    }
}
