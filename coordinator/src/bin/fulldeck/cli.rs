//! The command line: global flags, and how a command finds its coordinator and its data.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand};
use fulldeck_common::Backend;
use fulldeck_service::{Role, TlsFlags};

use crate::commands;
use crate::error::CliError;
pub(crate) use crate::output::ColorWhen;
use crate::output::{Shape, ShapeParser};

/// Exact, exhaustive, resumable enumeration of card games, on one machine or many
#[derive(Debug, Parser)]
#[command(name = "fulldeck", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  fulldeck run omaha -p cards=2
  fulldeck query last AsAh KdKc
  fulldeck run --help

Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 run failed, 5 timed out, 6 mismatch, 7 unreachable, 8 version \
conflict, 9 damaged, 10 resumable, 11 not ready (doctor)")]
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
    /// Shape of what is printed on standard output; for commands that draw also the picture's file
    #[arg(short, long, global = true, env = "FULLDECK_OUTPUT", value_name = "FORMAT")]
    #[arg(default_value = "table", value_parser = ShapeParser)]
    pub(crate) output: Shape,
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

/// Said in the help of each command instead of the flags themselves.
const GLOBAL_FLAGS: &str =
    "Flags of every command (-o, -q, -v, --color, --no-progress, --cpu): fulldeck --help";

/// The command line as its help shows it: flags that every command takes are described by the program alone.
pub(crate) fn command() -> clap::Command {
    let program = Cli::command();
    let hidden: Vec<_> = program
        .get_arguments()
        .filter(|flag| flag.is_global_set())
        .map(|flag| flag.clone().hide(true))
        .collect();
    without(program, &hidden)
}

fn without(command: clap::Command, hidden: &[clap::Arg]) -> clap::Command {
    let names: Vec<_> =
        command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    names.iter().enumerate().fold(command, |command, (place, name)| {
        command.mut_subcommand(name, |child| {
            let help = child.get_after_help().map(ToString::to_string).unwrap_or_default();
            // The generated `help` comes last.
            let child = child
                .display_order(place)
                .args(hidden)
                .after_help(format!("{help}\n\n{GLOBAL_FLAGS}"));
            without(child, hidden)
        })
    })
}

/// A word as it has to be written in a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=:,./+@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), |word| word.into_owned())
}

/// Where the data of this machine is.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataDir {
    /// Folder of checkpoint and artifacts
    #[arg(
        long,
        env = "FULLDECK_DATA_DIR",
        value_name = "FOLDER",
        default_value = DATA_DIR
    )]
    pub(crate) data_dir: PathBuf,
}

/// Where it is unless another folder is named.
const DATA_DIR: &str = "./fulldeck-data";

impl DataDir {
    /// The words by which a command finds the folder again; none for the usual one. They begin with a space.
    pub(crate) fn words(&self) -> String {
        match self.data_dir.to_string_lossy() {
            folder if folder == DATA_DIR => String::new(),
            folder => format!(" --data-dir {}", quoted(&folder)),
        }
    }

    /// Refuses a file where the folder should be.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        if self.data_dir.exists() && !self.data_dir.is_dir() {
            let folder = self.data_dir.display();
            return Err(CliError::usage(format!("{folder} is a file, not a data folder"))
                .hint("name a folder with --data-dir; it is created if it is not there"));
        }
        Ok(())
    }

    /// The file a running coordinator leaves there.
    pub(crate) fn access_file(&self) -> PathBuf {
        self.access_file_of(Role::Operator)
    }

    /// The file that a running coordinator leaves there for holders of a role.
    pub(crate) fn access_file_of(&self, role: Role) -> PathBuf {
        self.data_dir.join(role.access_file())
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
    /// Address of the coordinator, http(s)://host:port; needs --token-file
    #[arg(long, env = "FULLDECK_COORDINATOR", value_name = "URL", requires = "token_file")]
    pub(crate) coordinator: Option<String>,
    /// File that holds the coordinator's token
    #[arg(long, env = "FULLDECK_TOKEN_FILE", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Access file of the coordinator [default: access.toml in the data folder]
    #[arg(long, env = "FULLDECK_ACCESS", value_name = "FILE", conflicts_with = "coordinator")]
    pub(crate) access: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tls: TlsFlags,
}

impl Link {
    /// By the data folder alone.
    pub(crate) fn of(data: &DataDir) -> Self {
        let (coordinator, token_file, access) = (None, None, None);
        Self { data: data.clone(), coordinator, token_file, access, tls: TlsFlags::default() }
    }

    /// Whether the command line names a coordinator outright.
    pub(crate) fn names_coordinator(&self) -> bool {
        self.coordinator.is_some() || self.access.is_some()
    }

    /// The words by which a command finds the coordinator, or the folder, again. They begin with a space.
    pub(crate) fn words(&self) -> String {
        let place = match (&self.access, &self.coordinator, &self.token_file) {
            (Some(file), ..) => format!(" --access {}", quoted(&file.to_string_lossy())),
            (None, Some(url), Some(file)) => {
                let file = file.to_string_lossy();
                format!(" --coordinator {} --token-file {}", quoted(url), quoted(&file))
            }
            _ => self.data.words(),
        };
        place + &self.tls_words()
    }

    fn tls_words(&self) -> String {
        let TlsFlags { tls_ca, tls_client_cert, tls_client_key } = &self.tls;
        [("ca", tls_ca), ("client-cert", tls_client_cert), ("client-key", tls_client_key)]
            .into_iter()
            .filter_map(|(flag, file)| Some((flag, file.as_ref()?)))
            .map(|(flag, file)| format!(" --tls-{flag} {}", quoted(&file.to_string_lossy())))
            .collect()
    }
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
    /// Compute a part of a workload without a coordinator, as an array job does
    Shard(commands::shard::Arguments),
    /// Bring what shards computed into a run
    Import(commands::import::Arguments),
    /// List what can be computed, or what one workload takes and costs
    Workloads(commands::workloads::Arguments),
    /// Hand a run to a coordinator
    Submit(commands::submit::Arguments),
    /// Show the runs, or one run
    Status(commands::status::Arguments),
    /// Wait until a run is finished
    Wait(commands::wait::Arguments),
    /// Begin nothing more of a run for now
    Pause(commands::control::Pause),
    /// Go on with a run that was paused or cancelled
    Resume(commands::control::Resume),
    /// Stop computing a run; what is stored stays
    Cancel(commands::control::Cancel),
    /// Compute parked slices again
    Retry(commands::control::Retry),
    /// Say why slices are where they are
    Explain(commands::explain::Arguments),
    /// List the workers of a coordinator
    Workers(commands::workers::Arguments),
    /// Tell a worker to finish and leave
    Drain(commands::fleet::Drain),
    /// Keep work away from a host
    Quarantine(commands::fleet::Quarantine),
    /// Let a host in quarantine have work again
    Release(commands::fleet::Release),
    /// Ask whether a coordinator is alive, or ready: the answer is the exit code
    Probe(commands::probe::Arguments),
    /// Replace the token of a role
    Token(commands::token::Arguments),
    /// Merge a finished run into its artifact
    Merge(commands::merge::Arguments),
    /// Ask a merged run: for omaha, one hand or two
    Query(commands::query::Arguments),
    /// Draw a picture of a merged run, as PNG or SVG
    Plot(commands::plot::Arguments),
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
    /// Care of the checkpoint: check, repair, back up, restore, make smaller
    Store(commands::store::Arguments),
    /// Print a completion script for a shell
    Completions(commands::completions::Arguments),
    /// Print the manual page, of the program or of one command
    Man(commands::man::Arguments),
    /// Look whether this machine is ready
    Doctor(commands::doctor::Arguments),
}

impl Command {
    /// Whether the command draws a picture, whose file -o may name.
    pub(crate) const fn draws(&self) -> bool {
        match self {
            Self::Plot(_) => true,
            Self::Joker(arguments) => arguments.draws(),
            Self::Betting(arguments) => arguments.draws(),
            Self::Basket(arguments) => arguments.draws(),
            _ => false,
        }
    }
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
    use clap::FromArgMatches;

    use super::*;
    use crate::output::Format;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
        command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples_that_it_understands() {
        fn check(command: &mut clap::Command, path: &str) {
            let help = command.render_long_help().to_string();
            let examples: Vec<_> =
                help.lines().filter_map(|line| line.strip_prefix("  fulldeck ")).collect();
            assert!(examples.iter().any(|line| line.starts_with(path)), "{path}: {help}");
            for example in examples {
                let example = example.split(['<', '>']).next().unwrap();
                let words = shlex::split(&format!("fulldeck {example}")).unwrap();
                if words.last().is_some_and(|last| last != "--help") {
                    super::command().try_get_matches_from(&words).expect(example);
                }
            }
            for child in command.get_subcommands_mut().filter(|child| child.get_name() != "help") {
                check(child, format!("{path} {}", child.get_name()).trim());
            }
        }
        let mut program = command();
        program.build();
        check(&mut program, "");
    }

    #[test]
    fn flags_of_every_command_are_understood_everywhere_and_described_once() {
        let mut program = command();
        program.build();
        for child in program.get_subcommands_mut().filter(|child| child.get_name() != "help") {
            let help = child.render_long_help().to_string();
            assert!(!help.contains("--no-progress [") && help.contains(GLOBAL_FLAGS), "{help}");
            assert!(help.lines().all(|line| !line.trim().starts_with("--color")), "{help}");
        }
        for words in [
            &["fulldeck", "-o", "json", "omaha", "matchup", "-v", "AsAh", "KdKc"][..],
            &["fulldeck", "omaha", "matchup", "AsAh", "KdKc", "-vojson"],
        ] {
            let matches = command().try_get_matches_from(words).unwrap();
            let global = Cli::from_arg_matches(&matches).unwrap().global;
            let expected = (Shape::Format(Format::Json), 1);
            assert_eq!((global.output, global.verbose), expected, "{words:?}");
        }
    }

    #[test]
    fn hints_lead_back_to_the_same_place() {
        let words = |arguments: &[&str]| {
            let whole = [&["fulldeck", "status"], arguments].concat();
            match Cli::from_arg_matches(&command().try_get_matches_from(whole).unwrap()) {
                Ok(Cli { command: Command::Status(status), .. }) => status.link.words(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(words(&["--data-dir", DATA_DIR]), "");
        assert_eq!(words(&["--data-dir", "D"]), " --data-dir D");
        assert_eq!(words(&["--data-dir", "my data; x"]), " --data-dir 'my data; x'");
        assert_eq!(words(&["--access", "a b"]), " --access 'a b'");
        let outright = ["--coordinator", "http://h:1", "--token-file", "t"];
        assert_eq!(words(&outright), " --coordinator http://h:1 --token-file t");
        assert_eq!(words(&["--access", "a", "--tls-ca", "c d"]), " --access a --tls-ca 'c d'");
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
