//! Whether a folder can hold a store at all: what filesystem it lies on, and whether that keeps its promises.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, flock};

use super::StoreError;
use super::disk::Disk;
use super::layout::Layout;

/// Name of the file by which the folder is tried out.
const PROBE: &str = "PROBE";

/// Filesystems whose locks and syncs depend on a server or on another program, by the number `statfs` gives.
const NETWORK: [(u32, &str); 19] = [
    (0x0000_6969, "NFS"),
    (0x0000_517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x6573_5546, "FUSE"),
    (0x00C3_6400, "Ceph"),
    (0x1983_0326, "BeeGFS"),
    (0xAAD7_AAEA, "PanFS"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0102_1997, "9P"),
    (0x0116_1970, "GFS2"),
    (0x7461_636F, "OCFS2"),
    (0x4F72_616E, "OrangeFS"),
    (0x4750_4643, "GPFS"),
    (0x0000_564C, "NCP"),
];

/// Other filesystems, for messages.
const LOCAL: [(u32, &str); 8] = [
    (0x0000_EF53, "ext4"),
    (0x5846_5342, "XFS"),
    (0x9123_683E, "Btrfs"),
    (0x0102_1994, "tmpfs"),
    (0x794C_7630, "overlayfs"),
    (0x2FC1_2FC1, "ZFS"),
    (0xF2F5_2010, "F2FS"),
    (0x0000_4D44, "FAT"),
];

/// Refuses a folder, which need not exist yet, that cannot hold a store.
///
/// # Errors
/// [`StoreError::Unfit`] with path, filesystem, cause and remedy; [`StoreError::DiskFull`] where no store is yet.
pub(super) fn check(disk: &Disk, layout: &Layout, allow_network: bool) -> Result<(), StoreError> {
    let folder = &layout.folder;
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
    let Some(there) = absolute.ancestors().find(|ancestor| ancestor.is_dir()) else {
        return Ok(());
    };
    let number = filesystem(there);
    if let Some(name) = number.and_then(network_name)
        && !allow_network
    {
        return Err(StoreError::Unfit {
            path: folder.clone(),
            filesystem: name.to_owned(),
            cause: "its locks and syncs cannot be trusted".to_owned(),
            remedy: "name a folder on a local disk with --data-dir, or say --allow-network-store if the server keeps \
                     locks and syncs"
                .to_owned(),
        });
    }
    if !folder.is_dir() {
        // It will be made on the same disk; what cannot be made is said then.
        return Ok(());
    }
    match probe(disk, folder) {
        Ok(()) => Ok(()),
        Err((step, source)) => match StoreError::io("write", folder, source) {
            // A store that is there may have kept space to be opened by.
            StoreError::DiskFull { .. } if folder.join("STORE").exists() => Ok(()),
            // Access is told of in words of its own, by whoever writes next.
            StoreError::Io { source, .. }
                if matches!(
                    source.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                Ok(())
            }
            StoreError::Io { source, .. } => Err(StoreError::Unfit {
                path: folder.clone(),
                filesystem: number.map_or("an unknown filesystem".to_owned(), name),
                cause: format!("it does not {step}: {source}"),
                remedy: "name a folder on another disk with --data-dir".to_owned(),
            }),
            other => Err(other),
        },
    }
}

/// Name of the filesystem that holds a path, where the system tells.
pub(super) fn describe(path: &Path) -> Option<String> {
    filesystem(path).map(name)
}

fn name(number: u32) -> String {
    let known = LOCAL.iter().chain(&NETWORK).find(|(known, _)| *known == number);
    known.map_or_else(|| format!("filesystem {number:#x}"), |(_, name)| (*name).to_owned())
}

fn network_name(number: u32) -> Option<&'static str> {
    NETWORK.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

#[cfg(target_os = "linux")]
fn filesystem(path: &Path) -> Option<u32> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    rustix::fs::statfs(path).ok().map(|found| found.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
fn filesystem(_: &Path) -> Option<u32> {
    None
}

/// Does once what a store does all the time; the step that failed, and why.
fn probe(disk: &Disk, folder: &Path) -> Result<(), (&'static str, io::Error)> {
    // Others may try the same folder out at the same moment: nobody holds its lock yet.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{PROBE}.{}.{number}", std::process::id());
    let (first, second) = (folder.join(&name), folder.join(format!("{name}.renamed")));
    let outcome = try_probe(disk, folder, &first, &second);
    remove_probes(folder);
    match outcome {
        // Somebody else has cleaned up after us: files can be made and removed here.
        Err((_, error)) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => Ok(()),
        outcome => outcome,
    }
}

/// Removes what probes left, also those of processes that were killed.
fn remove_probes(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PROBE) {
            // Somebody else may do the same.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn try_probe(
    disk: &Disk,
    folder: &Path,
    first: &Path,
    second: &Path,
) -> Result<(), (&'static str, io::Error)> {
    let step = |name: &'static str| move |error: io::Error| (name, error);
    let file = disk.announce().and_then(|()| std::fs::File::create(first));
    let file = file.map_err(step("create files"))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|errno| ("lock files", errno.into()))?;
    file.sync_all().map_err(step("sync files"))?;
    std::fs::rename(first, second).map_err(step("rename files"))?;
    std::fs::File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(step("sync folders"))?;
    std::fs::remove_file(second).map_err(step("remove files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_filesystems_are_told_from_local_ones() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0x0BD0_0BD0), Some("Lustre"));
        for (number, local) in LOCAL {
            assert_eq!(network_name(number), None, "{local}");
            assert_eq!(name(number), local);
        }
        assert_eq!(name(7), "filesystem 0x7");
        let numbers: std::collections::BTreeSet<_> =
            NETWORK.iter().chain(&LOCAL).map(|(number, _)| number).collect();
        assert_eq!(numbers.len(), NETWORK.len() + LOCAL.len());
    }

    #[test]
    fn a_probe_leaves_nothing_and_names_what_fails() {
        let folder = tempfile::tempdir().unwrap();
        probe(&Disk::default(), folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let (step, _) = probe(&Disk::default(), &folder.path().join("missing")).unwrap_err();
        assert_eq!(step, "create files");
    }

    #[test]
    fn many_may_try_a_folder_out_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        probe(&Disk::default(), folder.path()).unwrap();
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_probe_of_another_process_that_was_killed_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        for name in [PROBE, "PROBE.renamed"] {
            std::fs::write(folder.path().join(name), b"left").unwrap();
        }
        let layout = Layout::new(folder.path());
        check(&Disk::default(), &layout, false).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(describe(folder.path()).is_some());
    }
}
