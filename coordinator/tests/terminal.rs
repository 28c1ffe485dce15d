//! Progress on a terminal: drawn by the real program on a pseudo-terminal, and read as a terminal reads it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code, reason = "the other tests use it too")]
mod program;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};

use program::fulldeck;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A run that draws on a terminal of this size; our end of the terminal.
fn start(folder: &Path, columns: u16, rows: u16) -> (Child, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let words = ["run", "omaha", "-p", "cards=2", "--slices", "60", "--threads", "1"];
    let run = fulldeck(folder, &words)
        .env("TERM", "xterm")
        .stdout(Stdio::null())
        .stderr(theirs)
        .spawn()
        .unwrap();
    (run, File::from(ours))
}

/// What is drawn until `enough`, or to the end.
fn drawn(terminal: &mut File, enough: impl Fn(&str) -> bool) -> String {
    let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match terminal.read(&mut buffer) {
            // The last one to hold the other end has closed it.
            Ok(0) | Err(_) => break,
            Ok(got) => text.extend_from_slice(&buffer[..got]),
        }
        if enough(&String::from_utf8_lossy(&text)) {
            break;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// What is printed on a terminal of this width, each letter with its column.
fn printed(text: &str, columns: usize) -> Vec<(char, usize)> {
    let (mut column, mut printed) = (0, Vec::new());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' | '\n' => column = 0,
            '\u{1b}' => {
                // A sequence ends in a letter; none that is used moves to the left or to the right.
                let end = letters.find(char::is_ascii_alphabetic);
                assert!(end.is_none_or(|end| !['C', 'D', 'G', 'H'].contains(&end)), "{text:?}");
            }
            _ => {
                // Full lines follow one another without a line end.
                column %= columns;
                printed.push((letter, column));
                column += 1;
            }
        }
    }
    printed
}

/// The columns in which this word begins.
fn columns_of(word: &str, printed: &[(char, usize)]) -> Vec<usize> {
    let letters: Vec<_> = word.chars().collect();
    let is_word = |part: &&[(char, usize)]| part.iter().map(|(letter, _)| letter).eq(&letters);
    printed.windows(letters.len()).filter(is_word).map(|part| part[0].1).collect()
}

#[test]
fn lines_fit_a_terminal_of_any_width() {
    for (columns, rows) in [(40, 10), (24, 6), (100, 30)] {
        let folder = tempfile::tempdir().unwrap();
        let (mut run, mut terminal) = start(folder.path(), columns, rows);
        let text = drawn(&mut terminal, |_| false);
        assert!(run.wait().unwrap().success(), "{text}");
        let printed = printed(&text, columns.into());
        // Had a line more columns than the terminal, those after it would begin elsewhere.
        let whole = columns_of("run 1", &printed);
        assert!(!whole.is_empty() && whole.iter().all(|column| *column == 2), "{whole:?} {text:?}");
        // Three jobs: in lines of their own where there is room, else summed up.
        let (jobs, summed) = if rows < 10 { ("aa-aa", "0 of 3") } else { ("0 of 3", "aa-aa") };
        assert!(columns_of(jobs, &printed).is_empty(), "{text:?}");
        let lines = columns_of(summed, &printed);
        assert!(!lines.is_empty() && lines.iter().all(|column| *column == 2), "{lines:?} {text:?}");
    }
}

#[test]
fn what_is_said_stands_in_a_line_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (mut run, mut terminal) = start(folder.path(), 100, 30);
    drawn(&mut terminal, |text| text.contains("run 1"));
    let process = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let text = drawn(&mut terminal, |_| false);
    assert_eq!(run.wait().unwrap().code(), Some(10), "{text}");
    let said = "stopping: what is being computed is finished (again: at once)";
    let (before, after) = text.split_once(said).unwrap_or_else(|| panic!("{text:?}"));
    assert!(after.starts_with("\r\n"), "{text:?}");
    assert_eq!(columns_of("stopping", &printed(&text, 100)), [0], "{before:?}");
}
