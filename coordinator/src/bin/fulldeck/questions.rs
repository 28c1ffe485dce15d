//! Many questions on standard input: one a line, in the words of the arguments; one JSON line of answer each. Empty lines
//! are none.

use std::io::{BufRead, Read, Write};

use clap::{Args, Parser};
use fulldeck_service::exit;
use serde_json::{Map, Value};

use crate::error::CliError;
use crate::output::versioned;

/// Longest question, in bytes.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The arguments of a question as one line has them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line<A: Args> {
    #[command(flatten)]
    arguments: A,
}

/// Answers every line of standard input: a line has the words that the command line would have.
pub(crate) fn answer_lines<A: Args>(
    mut answer: impl FnMut(&A) -> Result<Map<String, Value>, CliError>,
) -> Result<u8, CliError> {
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    answer_all(&mut input, &mut out, |words| {
        let line = Line::<A>::try_parse_from(words).map_err(|error| CliError::from(&error))?;
        answer(&line.arguments)
    })
}

/// Answers every line of `input` in order. A bad line is answered by its error, the others still by theirs; the
/// exit code is then 2 at the end.
pub(crate) fn answer_all(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    mut answer: impl FnMut(&[String]) -> Result<Map<String, Value>, CliError>,
) -> Result<u8, CliError> {
    let mut code = exit::OK;
    for number in 1u64.. {
        let mut line = Vec::new();
        let got = (&mut *input)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .map_err(|error| CliError::usage(format!("cannot read standard input: {error}")))?;
        if got == 0 {
            break;
        }
        let whole = line.ends_with(b"\n") || (got as u64) < MAX_LINE_BYTES;
        if !whole {
            skip_line(input)?;
        }
        if whole && line.trim_ascii().is_empty() {
            continue;
        }
        let answered =
            if whole { words(&line).and_then(|words| answer(&words)) } else { too_long() };
        let text = match answered {
            Ok(fields) => Value::Object(versioned(fields)),
            Err(error) => {
                code = exit::USAGE;
                let mut refusal = error.json();
                refusal["line"] = number.into();
                refusal
            }
        };
        writeln!(out, "{text}")?;
    }
    out.flush()?;
    Ok(code)
}

fn too_long() -> Result<Map<String, Value>, CliError> {
    Err(CliError::usage(format!("the line is longer than {MAX_LINE_BYTES} bytes")))
}

fn skip_line(input: &mut dyn BufRead) -> Result<(), CliError> {
    loop {
        let buffer = input
            .fill_buf()
            .map_err(|error| CliError::usage(format!("cannot read standard input: {error}")))?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |position| position + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The words of a line, quoted as in a shell.
fn words(line: &[u8]) -> Result<Vec<String>, CliError> {
    let text = std::str::from_utf8(line)
        .map_err(|error| CliError::usage(format!("the line is not UTF-8: {error}")))?;
    shlex::split(text.trim_end_matches(['\n', '\r']))
        .ok_or_else(|| CliError::usage("the line has a quotation mark without its partner"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(input: &[u8]) -> (u8, Vec<Value>) {
        let mut out = Vec::new();
        let code = answer_all(&mut &input[..], &mut out, |words| match words {
            [word] if word.is_empty() => Err(CliError::usage("no hand")),
            words => Ok(crate::output::object(json!({ "words": words }))),
        })
        .unwrap();
        let lines = String::from_utf8(out).unwrap();
        (code, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn every_line_is_answered_in_order_and_a_bad_one_gives_two() {
        let (code, answers) = ask(b"AsKs 'Qd Jd'\r\n \n\n''\nlast");
        assert_eq!((code, answers.len()), (2, 3));
        assert_eq!(answers[0], json!({ "schema": 1, "words": ["AsKs", "Qd Jd"] }));
        assert_eq!((&answers[1]["schema"], &answers[1]["line"]), (&json!(1), &json!(4)));
        assert_eq!(answers[1]["error"]["message"], "no hand");
        assert_eq!(answers[2]["words"], json!(["last"]));
        assert_eq!(ask(b"a\nb\n").0, 0);
        assert_eq!(ask(b"\n\n"), (0, vec![]));
    }

    #[test]
    fn lines_that_are_too_long_or_not_text_do_not_stop_the_others() {
        let mut input = vec![b'a'; 70 << 10];
        input.extend_from_slice(b"\n\xff\n'open\nfine\n");
        let (code, answers) = ask(&input);
        assert_eq!((code, answers.len()), (2, 4));
        for (line, part) in [(0, "longer"), (1, "UTF-8"), (2, "partner")] {
            let message = answers[line]["error"]["message"].as_str().unwrap();
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(answers[3]["words"], json!(["fine"]));
    }
}
