//! The file `RESERVE`: space that is allocated while there is some, and given up to open the store on a full disk.

use super::disk::Disk;
use super::layout::Layout;

/// Name of the file.
const NAME: &str = "RESERVE";
/// The reserve is only made where so many times as much is free: it must never be what fills a disk.
const WANTED_FREE: u64 = 4;

/// Sees to it that the reserve is there, if the disk has room for it. It is a help and no more: that it cannot be made
/// is only noted.
pub(super) fn keep(disk: &Disk, layout: &Layout, bytes: u64) {
    let path = layout.folder.join(NAME);
    let there = std::fs::metadata(&path).map_or(0, |found| found.len());
    if bytes == 0 || there >= bytes {
        return;
    }
    let free = fulldeck_service::host::free_bytes(&layout.folder).unwrap_or(0);
    if free < bytes.saturating_mul(WANTED_FREE) {
        return;
    }
    let made = disk.create_new(&path).and_then(|file| {
        disk.allocate(&file, &path, bytes)?;
        disk.sync_all(&file, &path)
    });
    if let Err(error) = made {
        tracing::debug!(%error, "no space is reserved");
        release(disk, layout);
    }
}

/// Gives the reserve up; whether there was one.
pub(super) fn release(disk: &Disk, layout: &Layout) -> bool {
    let path = layout.folder.join(NAME);
    path.exists()
        && disk
            .remove(&path)
            .inspect_err(|error| tracing::debug!(%error, "the reserve stays"))
            .is_ok()
}

/// Bytes that are reserved.
pub(super) fn bytes(layout: &Layout) -> u64 {
    std::fs::metadata(layout.folder.join(NAME)).map_or(0, |found| found.len())
}
