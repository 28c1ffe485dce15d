//! Numbers as people read them.

use std::time::Duration;

pub(crate) use fulldeck_coordinator::view::percent;
pub(crate) use fulldeck_job::picture::grouped;
use jiff::Timestamp;

/// `12.3 s`, `3m 05s`, `1h 20m`, `4d 02h`.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "-".to_owned();
    }
    if seconds < 1.0 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (days, hours) = (whole / 86_400, whole / 3600 % 24);
    let (minutes, seconds) = (whole / 60 % 60, whole % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}m {seconds:02}s"),
        (0, _) => format!("{hours}h {minutes:02}m"),
        _ => format!("{days}d {hours:02}h"),
    }
}

/// Bytes in binary units: `512 B`, `1.08 GiB`.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.995 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {}", UNITS[unit])
}

/// `1 slice`, `2,000 slices`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = match (number, noun) {
        (1, _) => "",
        (_, noun) if noun.ends_with("tch") || noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(number))
}

/// A moment: relative on a terminal, RFC 3339 otherwise.
pub(crate) fn moment(unix_s: u64, terminal: bool) -> String {
    let Some(then) = i64::try_from(unix_s).ok().and_then(|s| Timestamp::from_second(s).ok()) else {
        return "-".to_owned();
    };
    if !terminal {
        return then.to_string();
    }
    let now = Timestamp::now().as_second();
    match u64::try_from(now - then.as_second()) {
        Ok(0) => "just now".to_owned(),
        Ok(age) => format!("{} ago", duration(Duration::from_secs(age).as_secs_f64())),
        Err(_) => then.to_string(),
    }
}

/// A moment that many seconds ago: relative on a terminal, RFC 3339 otherwise.
pub(crate) fn ago(seconds: f64, terminal: bool) -> String {
    if terminal {
        return format!("{} ago", duration(seconds));
    }
    let then = Timestamp::now().as_second().saturating_sub(seconds.round() as i64);
    moment(u64::try_from(then).unwrap_or_default(), terminal)
}

/// A share as people read it: `71.526 %`.
pub(crate) fn share(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units_at_most() {
        for (seconds, text) in [
            (0.25, "250 ms"),
            (12.34, "12.3 s"),
            (59.96, "1m 00s"),
            (185.0, "3m 05s"),
            (4800.0, "1h 20m"),
            (360_000.0, "4d 04h"),
            (f64::NAN, "-"),
            (-1.0, "-"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn bytes_are_binary() {
        for (count, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (1_080_108_288, "1.01 GiB"),
            ((1 << 20) - 1, "1.00 MiB"),
            (150 << 30, "150 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn numbers_are_grouped_and_counted() {
        assert_eq!(grouped(135_013_528), "135,013,528");
        assert_eq!(grouped(999), "999");
        assert_eq!(counted(1, "slice"), "1 slice");
        assert_eq!(counted(1000, "slice"), "1,000 slices");
        assert_eq!(counted(2, "mismatch"), "2 mismatches");
    }

    #[test]
    fn shares_are_percent_with_three_decimals() {
        assert_eq!(share(0.715_263_049_151_940_1), "71.526 %");
        assert_eq!(share(0.5), "50.000 %");
        assert_eq!(share(1.0), "100.000 %");
    }

    #[test]
    fn what_is_not_complete_is_never_a_hundred_percent() {
        assert_eq!(percent(9_999_999, 10_000_000), 99.9);
        assert_eq!(percent(1, 4), 25.0);
        assert_eq!(percent(0, 0), 100.0);
    }

    #[test]
    fn moments_are_rfc_3339_when_piped() {
        assert_eq!(moment(0, false), "1970-01-01T00:00:00Z");
        assert!(moment(0, true).ends_with("h ago"));
        assert_eq!(moment(u64::MAX, false), "-");
        assert_eq!(ago(0.038, true), "38 ms ago");
        let then: Timestamp = ago(90.0, false).parse().unwrap();
        let age = Timestamp::now().as_second() - then.as_second();
        assert!((89..=95).contains(&age), "{age}");
    }
}
