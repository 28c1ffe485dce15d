//! Errors of a command line in one line: what is wrong, where, what would be right.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

/// What the number parsers of the standard library say, and what a person reads instead.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid digit found in string", "a whole number is needed"),
    ("cannot parse integer from empty string", "a whole number is needed"),
    ("number too large to fit in target type", "the number is too large"),
    ("..=", " to "),
];

/// An error of the command line, as it is said to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError {
    /// What is wrong, and where.
    pub message: String,
    /// Where to read on.
    pub hint: String,
}

impl UsageError {
    /// What `error` says about these arguments of `command`, the program's name among them.
    #[must_use]
    pub fn new(error: &clap::Error, command: &Command, arguments: &[OsString]) -> Self {
        let (commands, path) = asked(command, arguments);
        let hint = format!("see {path} --help");
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            let names: Vec<_> = commands
                .last()
                .into_iter()
                .flat_map(|command| command.get_subcommands())
                .map(Command::get_name)
                .filter(|name| *name != "help")
                .collect();
            let message = format!("a word is missing after '{path}': {}", names.join(", "));
            return Self { message, hint };
        }
        let mut message = sentence(error);
        for (theirs, ours) in NUMBERS {
            message = message.replace(theirs, ours);
        }
        if let Some((argument, variable)) = from_variable(error, &commands, arguments) {
            message = message.replace(&format!("'{argument}'"), &variable);
        }
        Self { message, hint }
    }
}

/// The first paragraphs of the error's text, joined; the usage that follows them is left to the help.
fn sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let before_usage = text.split("Usage:").next().unwrap_or_default();
    let mut parts = before_usage
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        // How to pass what looks like a flag as a value helps nobody who mistyped a flag.
        .filter(|line| !line.starts_with("tip: to pass"));
    let first = parts.next().unwrap_or("the command line is malformed");
    let mut message = first.trim_start_matches("error: ").to_owned();
    for part in parts {
        let joint = if message.ends_with(':') { " " } else { "; " };
        message.push_str(joint);
        message.push_str(part.trim_start_matches("tip: "));
    }
    message
}

/// The commands that the words lead through, from the program on, and their words.
fn asked<'a>(program: &'a Command, arguments: &[OsString]) -> (Vec<&'a Command>, String) {
    let (mut command, mut path) = (program, program.get_name().to_owned());
    let mut commands = vec![program];
    for word in arguments.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(child) = command.find_subcommand(word) {
            command = child;
            commands.push(child);
            path.push_str(&format!(" {word}"));
        }
    }
    (commands, path)
}

/// The argument whose value is wrong and the variable that it came from, if it did not come from the command line.
fn from_variable(
    error: &clap::Error,
    commands: &[&Command],
    arguments: &[OsString],
) -> Option<(String, String)> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let long = argument.strip_prefix("--")?.split([' ', '=', '[']).next()?;
    let mut flags = commands.iter().rev().flat_map(|command| command.get_arguments());
    let flag = flags.find(|flag| flag.get_long() == Some(long))?;
    let variable = flag.get_env()?;
    let given = arguments.iter().filter_map(|word| word.to_str()).any(|word| names(flag, word));
    let variable_is_set = std::env::var_os(variable).is_some();
    (!given && variable_is_set).then(|| (argument.clone(), variable.to_string_lossy().into_owned()))
}

/// Whether a word of the command line gives this flag.
fn names(flag: &Arg, word: &str) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        return long.split('=').next() == flag.get_long();
    }
    let letters = word.strip_prefix('-').unwrap_or_default();
    flag.get_short().is_some_and(|short| letters.contains(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        let number = clap::value_parser!(u16).range(1..=64);
        Command::new("deck").subcommand_required(true).subcommand(
            Command::new("run")
                .arg(Arg::new("shape").long("shape").value_parser(["round", "square"]))
                // A variable that every test process has.
                .arg(Arg::new("n").short('n').long("number").env("PATH").value_parser(number))
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(Command::new("fast"))
                .subcommand(Command::new("slow")),
        )
    }

    fn error(words: &[&str]) -> UsageError {
        let words: Vec<_> = words.iter().map(OsString::from).collect();
        let error = program().try_get_matches_from(&words).unwrap_err();
        UsageError::new(&error, &program(), &words)
    }

    #[test]
    fn what_would_be_right_is_kept_and_the_help_is_named() {
        let UsageError { message, hint } =
            error(&["deck", "run", "--shape", "oval", "-n1", "fast"]);
        assert!(message.contains("'oval'") && message.contains("round, square"), "{message}");
        assert_eq!(hint, "see deck run fast --help");
        assert_eq!(error(&["deck", "fly"]).hint, "see deck --help");
        let UsageError { message, .. } = error(&["deck", "run", "-n1", "-x"]);
        assert_eq!(message, "unexpected argument '-x' found");
    }

    #[test]
    fn numbers_are_asked_for_in_words() {
        let message = |number: &str| error(&["deck", "run", "-n", number, "fast"]).message;
        let long = "invalid value 'many' for '--number <n>': a whole number is needed";
        assert_eq!(message("many"), long);
        assert!(message("65").ends_with("65 is not in 1 to 64"), "{}", message("65"));
        assert!(message("99999999999999999999").ends_with("the number is too large"));
    }

    #[test]
    fn a_variable_is_blamed_for_its_value_and_a_flag_for_its_own() {
        let UsageError { message, .. } = error(&["deck", "run", "fast"]);
        assert!(message.contains("for PATH: a whole number"), "{message}");
        assert!(!error(&["deck", "run", "-nx", "fast"]).message.contains("PATH"));
        assert!(!error(&["deck", "run", "--number=x", "fast"]).message.contains("PATH"));
    }

    #[test]
    fn a_missing_word_is_named() {
        let command = Command::new("deck").subcommand(
            Command::new("omaha")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(Command::new("matchup")),
        );
        let words = ["deck", "omaha"].map(OsString::from);
        let error = command.clone().try_get_matches_from(&words).unwrap_err();
        let UsageError { message, hint } = UsageError::new(&error, &command, &words);
        assert_eq!(message, "a word is missing after 'deck omaha': matchup");
        assert_eq!(hint, "see deck omaha --help");
    }
}
