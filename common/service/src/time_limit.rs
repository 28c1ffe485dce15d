//! When this process has to end, by the word of a person or of the engine that started it.

use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longest limit that can be given: a year.
const MAX_SECONDS: u64 = 365 * 24 * 3600;
/// How often Slurm is asked.
const ASKED: u32 = 3;

/// A limit as a person gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// So long from the start.
    After(Duration),
    /// What the engine says that started this process.
    Auto,
}

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let (digits, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
            Some(digits) => (digits, &text[digits.len()..]),
            None => (text, "s"),
        };
        let factor = match unit {
            "m" => 60,
            "h" => 3600,
            "d" => 24 * 3600,
            _ => 1,
        };
        let seconds = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        seconds
            .filter(|seconds| (1..=MAX_SECONDS).contains(seconds))
            .map(|seconds| Self::After(Duration::from_secs(seconds)))
            .ok_or_else(|| {
                "seconds (900), 15m, 12h, 2d, or auto are right; a year at most".to_owned()
            })
    }
}

impl TimeLimit {
    /// Time that is left; `None` where there is no limit, or where nobody says.
    #[must_use]
    pub fn left(self) -> Option<Duration> {
        match self {
            Self::After(limit) => Some(limit),
            Self::Auto => by_slurm(),
        }
    }
}

/// By the end that Slurm names, or else by the time that its queue shows.
fn by_slurm() -> Option<Duration> {
    let job = std::env::var("SLURM_JOB_ID").ok()?;
    if let Some(end) = std::env::var("SLURM_JOB_END_TIME").ok().and_then(|end| end.parse().ok()) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        return Some(Duration::from_secs(end).saturating_sub(now));
    }
    for _ in 0..ASKED {
        let asked = Command::new("squeue")
            .args(["--noheader", "--jobs", &job, "--format", "%L"])
            .stderr(Stdio::null())
            .output();
        match asked {
            Ok(answer) if answer.status.success() => {
                let text = String::from_utf8_lossy(&answer.stdout);
                return duration(text.trim());
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    tracing::warn!("Slurm does not say how much time is left: no limit is kept");
    None
}

/// Reads `[days-][hours:]minutes:seconds`; `None` for words such as `UNLIMITED`.
fn duration(text: &str) -> Option<Duration> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse::<u64>().ok()?, clock),
        None => (0, text),
    };
    let fields =
        clock.split(':').map(|field| field.parse::<u64>().ok()).collect::<Option<Vec<_>>>()?;
    let clock = match fields[..] {
        [hours, minutes, seconds] => 3600 * hours + 60 * minutes + seconds,
        [minutes, seconds] => 60 * minutes + seconds,
        [seconds] => seconds,
        _ => return None,
    };
    Some(Duration::from_secs(24 * 3600 * days + clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_with_and_without_unit() {
        let after = |seconds| Ok(TimeLimit::After(Duration::from_secs(seconds)));
        for (text, limit) in [("90", 90), ("90s", 90), ("15m", 900), ("2h", 7200), ("1d", 86_400)] {
            assert_eq!(text.parse(), after(limit));
        }
        assert_eq!("auto".parse(), Ok(TimeLimit::Auto));
        for odd in ["", "0", "-1", "m", "1.5h", "500d", "99999999999999999999", "soon"] {
            assert!(odd.parse::<TimeLimit>().unwrap_err().contains("15m"), "{odd}");
        }
    }

    #[test]
    fn the_queue_shows_days_hours_minutes_and_seconds() {
        for (text, seconds) in
            [("0:07", 7), ("59:59", 3599), ("1:00:00", 3600), ("2-00:00:01", 172_801)]
        {
            assert_eq!(duration(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for none in ["UNLIMITED", "INVALID", "", "NOT_SET"] {
            assert_eq!(duration(none), None);
        }
    }
}
