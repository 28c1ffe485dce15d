//! Round numbers along an axis, and how numbers are written.

use fulldeck_job::picture::grouped;

/// A number on an axis, and how it is written there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// Steps that people count in.
const STEPS: [f64; 3] = [1.0, 2.0, 5.0];
/// Powers of ten that are written out.
const WRITTEN_OUT: std::ops::RangeInclusive<i32> = -3..=4;

/// The smallest round step by which at most `most` steps cover the range.
fn step(low: f64, high: f64, most: usize) -> f64 {
    let wanted = ((high - low) / most.max(1) as f64).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(wanted.log10().floor());
    let fitting = STEPS.iter().map(|step| step * power).find(|step| *step >= wanted * 0.999_999);
    fitting.unwrap_or(10.0 * power)
}

/// Decimals that tell multiples of a step apart.
fn decimals(step: f64) -> usize {
    (0..9).find(|decimals| is_whole(step * 10f64.powi(*decimals))).unwrap_or(9) as usize
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() < 1e-6 * number.abs().max(1.0)
}

/// Round numbers from `low` to `high`, at most `most` + 1 of them.
pub(crate) fn even(low: f64, high: f64, most: usize) -> Vec<Tick> {
    multiples(low, high, step(low, high, most))
}

fn multiples(low: f64, high: f64, step: f64) -> Vec<Tick> {
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    let ticks = (first..=last).map(|times| {
        let value = times as f64 * step;
        Tick { value, label: number(value, decimals(step)) }
    });
    ticks.collect()
}

/// The even axis that has both numbers on it and ends with round ones: both ends, and the ticks between them.
pub(crate) fn even_axis(low: f64, high: f64, most: usize) -> ([f64; 2], Vec<Tick>) {
    // One number alone has an axis too.
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let step = step(low, high, most);
    let ends = [(low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step];
    (ends, multiples(ends[0], ends[1], step))
}

/// The same for powers of ten.
pub(crate) fn powers_axis(low: f64, high: f64, most: usize) -> ([f64; 2], Vec<Tick>) {
    let (first, last) = (low.log10().floor(), high.log10().ceil());
    let ends = [10f64.powf(first), 10f64.powf(last.max(first + 1.0))];
    (ends, powers(ends[0], ends[1], most))
}

/// Powers of ten from `low` to `high`, by their exponents; between few of them also their multiples.
pub(crate) fn powers(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let every = (last - first).div_euclid(most.max(1) as i32).max(0) + 1;
    let multiples: &[f64] = if last - first <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let short = WRITTEN_OUT.contains(&first) && WRITTEN_OUT.contains(&last);
    let inside = |value: f64| value >= low * 0.999_999 && value <= high * 1.000_001;
    let exponents = (first..=last).filter(|exponent| exponent.rem_euclid(every) == 0);
    let ticks = exponents.flat_map(|exponent| {
        multiples.iter().map(move |times| Tick {
            value: times * 10f64.powi(exponent),
            label: power(*times, exponent, short),
        })
    });
    ticks.filter(|tick| inside(tick.value)).collect()
}

/// `1,000` where that is short, `10³` or `5×10³` elsewhere.
fn power(times: f64, exponent: i32, short: bool) -> String {
    match (short, times == 1.0) {
        (true, _) => number(times * 10f64.powi(exponent), (-exponent).max(0) as usize),
        (false, true) => format!("10{}", raised(exponent)),
        (false, false) => format!("{times}×10{}", raised(exponent)),
    }
}

fn raised(exponent: i32) -> String {
    let digit = |letter: char| match letter.to_digit(10) {
        Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
        None => '⁻',
    };
    exponent.to_string().chars().map(digit).collect()
}

/// A number with its thousands set off and a real minus sign.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').map_or((&text[..], ""), |parts| parts);
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let is_zero = text.chars().all(|letter| ['0', '.'].contains(&letter));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// A number with three digits that matter; a very small one is only said to be small.
pub(crate) fn short(value: f64) -> String {
    if value > 0.0 && value < 0.001 {
        return "< 0.001".to_owned();
    }
    let decimals = if value == 0.0 { 0.0 } else { 2.0 - value.abs().log10().floor() };
    number(value, decimals.clamp(0.0, 9.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn even_ticks_are_round_and_within_the_range() {
        assert_eq!(labels(&even(0.0, 100.0, 5)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(&even(-0.3, 0.3, 4)), ["−0.2", "0.0", "0.2"]);
        assert_eq!(labels(&even(0.0, 10_000.0, 4)), ["0", "5,000", "10,000"]);
        let (ends, ticks) = even_axis(3.1, 96.0, 5);
        assert_eq!((ends, labels(&ticks).len()), ([0.0, 100.0], 6));
        let ([low, high], _) = even_axis(7.0, 7.0, 5);
        assert!(low < 7.0 && high > 7.0);
        for most in 1..12 {
            for high in [0.013, 1.0, 7.7, 12_345.0] {
                assert!(even(0.0, high, most).len() <= most + 1, "{high} {most}");
            }
        }
    }

    #[test]
    fn short_numbers_have_three_digits_that_matter() {
        let short: Vec<_> = [1234.5, 25.27, 0.954_1, 0.005_392, 2e-7, 0.0].map(short).into();
        assert_eq!(short, ["1,234", "25.3", "0.954", "0.00539", "< 0.001", "0"]);
    }

    #[test]
    fn powers_are_as_many_as_there_is_room_for() {
        assert_eq!(labels(&powers(1.0, 1e3, 8)), ["1", "10", "100", "1,000"]);
        assert_eq!(labels(&powers(0.1, 1.0, 8)), ["0.1", "0.2", "0.5", "1"]);
        assert_eq!(labels(&powers(1.0, 1e15, 4)), ["10⁰", "10⁴", "10⁸", "10¹²"]);
        assert_eq!(labels(&powers(1e-5, 1e-2, 8)), ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
    }
}
