//! Strategies as files: a table for people and spreadsheets, arrays for programs.

use std::fs;
use std::path::Path;

use fulldeck_artifact::npy_bytes;
use fulldeck_common::Clusters;
use fulldeck_common::omaha::pushfold::Strategies;
use fulldeck_job::ElementType;

use crate::error::CliError;
use crate::files;

/// Writes `<name>.csv`, `<name>.push.npy` and `<name>.call.npy`; a file that is there is replaced as a whole.
pub(crate) fn write(
    folder: &Path,
    name: &str,
    cards: usize,
    strategies: &Strategies,
) -> Result<(), CliError> {
    fs::create_dir_all(folder)
        .map_err(|error| CliError::usage(format!("cannot write {}: {error}", folder.display())))?;
    let clusters = Clusters::new(cards);
    let mut table = String::from("index,representative,orbit,push,call\n");
    let shares = strategies.push.iter().zip(&strategies.call);
    for (index, (cluster, (push, call))) in clusters.as_slice().iter().zip(shares).enumerate() {
        let (hand, orbit) = (cluster.representative(), cluster.orbit());
        table.push_str(&format!("{index},{hand},{orbit},{push},{call}\n"));
    }
    let array = |shares: &[f64]| {
        let bytes: Vec<u8> = shares.iter().flat_map(|share| share.to_le_bytes()).collect();
        npy_bytes(ElementType::F64, &[shares.len() as u64], &bytes)
    };
    for (suffix, bytes) in [
        ("csv", table.into_bytes()),
        ("push.npy", array(&strategies.push)),
        ("call.npy", array(&strategies.call)),
    ] {
        files::replace(&folder.join(format!("{name}.{suffix}")), &bytes)?;
    }
    Ok(())
}
