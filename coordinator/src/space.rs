//! The free space of the disk: leasing pauses before it is used up, and a run that cannot fit is refused.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fulldeck_job::Estimate;
use fulldeck_service::host::{self, DiskSpace};

use crate::engine::Engine;
use crate::error::RequestError;
use crate::scheduler::{Demand, Event};
use crate::writer::{Task, Writer};

/// Leasing pauses below so much free space, in bytes ...
const MIN_FREE: u64 = 1 << 30;
/// ... or below this part of the disk (a twentieth) ...
const MIN_SHARE: u64 = 20;
/// ... or below so many times what is being computed. But so many times all that is left to be stored is always enough.
const TIMES: u64 = 2;
/// What the index and the frames of records may need beside the results, in bytes; on a small disk less.
const OVERHEAD: u64 = 16 << 20;

/// How a coordinator looks after the space of its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceOptions {
    /// Leasing pauses below so much free space, in bytes; 0 never looks. `None` takes the largest of 1 GiB, a twentieth
    /// of the disk, and twice the results that are being computed, but no more than twice what is still to be stored.
    pub min_free_bytes: Option<u64>,
    /// Refuse a run whose results are not expected to fit.
    pub refuse_runs: bool,
    /// Time between two looks, and between two attempts to open a store again that has failed.
    pub check_every: Duration,
}

impl Default for SpaceOptions {
    fn default() -> Self {
        let check_every = Duration::from_secs(5);
        Self { min_free_bytes: None, refuse_runs: true, check_every }
    }
}

impl SpaceOptions {
    /// Refuses a run that is not expected to fit on the disk.
    ///
    /// # Errors
    /// [`RequestError::Halted`] with both sizes.
    pub(crate) fn admit(&self, data_dir: &Path, estimate: &Estimate) -> Result<(), RequestError> {
        if !self.refuse_runs || self.min_free_bytes == Some(0) {
            return Ok(());
        }
        match host::disk_space(data_dir) {
            Some(disk) if disk.free < estimate.store_bytes => Err(RequestError::Halted(format!(
                "the results of this run need about {}, {} are free in {}; free some space or use another data folder \
                 (a coordinator with --min-free 0 takes it all the same)",
                mebibytes(estimate.store_bytes),
                mebibytes(disk.free),
                data_dir.display()
            ))),
            _ => Ok(()),
        }
    }

    /// Why nothing may be leased now, if so.
    fn judge(&self, disk: DiskSpace, demand: Demand) -> Option<String> {
        let DiskSpace { free, total } = disk;
        let wanted = self.min_free_bytes.unwrap_or_else(|| {
            let usual = MIN_FREE.max(total / MIN_SHARE);
            let enough = demand.open_bytes.saturating_mul(TIMES);
            usual
                .max(demand.leased_bytes.saturating_mul(TIMES))
                .min(enough.saturating_add(OVERHEAD.min(total / MIN_SHARE)))
        });
        (demand.open_bytes > 0 && free < wanted).then(|| {
            let (free, wanted) = (mebibytes(free), mebibytes(wanted));
            format!("the disk is nearly full, {free} are free and {wanted} are wanted")
        })
    }
}

/// `12 MiB`, `0.5 MiB`: fine enough for disks.
fn mebibytes(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    if mebibytes < 10.0 { format!("{mebibytes:.1} MiB") } else { format!("{mebibytes:.0} MiB") }
}

/// Looks at the disk once, and tells the scheduler; whether leasing is held up now, or `None` if nobody can tell.
pub(crate) async fn look(engine: &Engine, data_dir: &Path, options: &SpaceOptions) -> Option<bool> {
    if options.min_free_bytes == Some(0) {
        return None;
    }
    let demand = engine.inspect(|core, _| core.demand()).await.ok()?;
    let folder = data_dir.to_owned();
    // A disk that does not answer holds up nobody else.
    let disk = tokio::task::spawn_blocking(move || host::disk_space(&folder)).await.ok()??;
    let reason = options.judge(disk, demand);
    let held = reason.is_some();
    engine.tell(Event::HoldLeases { reason }).await.ok()?;
    Some(held)
}

/// Looks at the disk again and again.
pub(crate) async fn watch(
    engine: Engine,
    writer: std::sync::Weak<Writer>,
    data_dir: PathBuf,
    options: SpaceOptions,
) {
    let mut next = tokio::time::interval(options.check_every);
    next.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut held = false;
    loop {
        next.tick().await;
        let Some(now) = look(&engine, &data_dir, &options).await else { continue };
        if held && !now {
            // The store may have given up its reserve. A writer that is busy hears it another time.
            let tended = writer.upgrade().map(|writer| writer.submit(Task::Tend));
            tracing::debug!(?tended, "there is space again");
        }
        held = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn wanted(total: u64, demand: Demand) -> u64 {
        let options = SpaceOptions::default();
        let held = |free| options.judge(DiskSpace { free, total }, demand).is_some();
        assert!(!held(u64::MAX));
        // The least free space with which leasing goes on.
        let (mut low, mut high) = (0, u64::MAX);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if held(middle) { low = middle } else { high = middle }
        }
        high
    }

    #[test]
    fn a_large_run_leaves_a_part_of_the_disk_free() {
        let demand = |leased_bytes, open_bytes| Demand { leased_bytes, open_bytes };
        assert_eq!(wanted(10 * GIB, demand(0, 100 * GIB)), GIB);
        assert_eq!(wanted(1000 * GIB, demand(0, 100 * GIB)), 50 * GIB);
        assert_eq!(wanted(10 * GIB, demand(2 * GIB, 100 * GIB)), 4 * GIB);
    }

    #[test]
    fn a_run_that_fits_twice_is_never_held_up() {
        let demand = Demand { leased_bytes: 0, open_bytes: 1 << 20 };
        assert_eq!(wanted(1000 * GIB, demand), (2 << 20) + OVERHEAD);
        assert_eq!(wanted(8 << 20, demand), (2 << 20) + (8 << 20) / MIN_SHARE);
    }

    #[test]
    fn nothing_is_held_that_is_not_there_and_zero_never_holds() {
        let none = DiskSpace { free: 0, total: GIB };
        assert_eq!(SpaceOptions::default().judge(none, Demand::default()), None);
        let demand = Demand { leased_bytes: 1, open_bytes: 1 };
        let options = SpaceOptions { min_free_bytes: Some(0), ..SpaceOptions::default() };
        assert_eq!(options.judge(none, demand), None);
        let options = SpaceOptions { min_free_bytes: Some(1 << 20), ..SpaceOptions::default() };
        let said = options.judge(none, demand).unwrap();
        assert!(said.contains("0.0 MiB are free and 1.0 MiB are wanted"), "{said}");
    }
}
