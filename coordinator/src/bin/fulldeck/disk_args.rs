//! How a command looks after the disk of its data folder.

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_coordinator::CoordinatorOptions;

/// Flags of the commands that write a checkpoint.
#[derive(Clone, Debug, Args)]
pub(crate) struct DiskArgs {
    /// Lease nothing more when less space is free, e.g. 2GiB; 0 never looks [default: the largest of 1 GiB, 5 % of the
    /// disk and twice what is being computed, or twice what is left to store if that is less]
    #[arg(long, env = "FULLDECK_MIN_FREE", value_name = "SIZE", value_parser = size)]
    min_free: Option<u64>,
    /// Space kept allocated in the data folder, to be able to go on when the disk is full; 0 for none
    #[arg(long, env = "FULLDECK_RESERVE", value_name = "SIZE", value_parser = size)]
    #[arg(default_value = "64MiB")]
    reserve: u64,
    /// Use a data folder on a network filesystem all the same
    #[arg(long, env = "FULLDECK_ALLOW_NETWORK_STORE")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    allow_network_store: bool,
}

impl DiskArgs {
    pub(crate) fn apply(&self, options: &mut CoordinatorOptions) {
        options.space.min_free_bytes = self.min_free;
        options.store.reserve_bytes = self.reserve;
        options.store.allow_network = self.allow_network_store;
    }
}

/// A number of bytes: `4096`, `64MiB`, `2 GiB`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u32); 9] = [
        ("KiB", 10),
        ("MiB", 20),
        ("GiB", 30),
        ("TiB", 40),
        ("K", 10),
        ("M", 20),
        ("G", 30),
        ("T", 40),
        ("B", 0),
    ];
    let (digits, shift) = UNITS
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)))
        .unwrap_or((text, 0));
    let number = digits.trim_end().parse::<u64>().ok();
    number.and_then(|number| number.checked_mul(1 << shift)).ok_or_else(|| {
        "a size is a whole number of bytes, KiB, MiB, GiB or TiB, e.g. 2GiB".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("7 B", 7),
            ("3K", 3072),
            ("64MiB", 64 << 20),
            ("2 GiB", 2 << 30),
            ("1T", 1 << 40),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "GiB", "-1", "1.5G", "1 PB", "99999999999 TiB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
