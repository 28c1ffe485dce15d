//! Facts about this host and this process.

use std::fs;
use std::path::Path;
use std::thread;

/// Files that may hold the machine's identity, best first.
const MACHINE_ID_FILES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
/// Hexadecimal digits of a host key.
const HOST_KEY_DIGITS: usize = 32;

/// Memory of this process in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Resident now.
    pub rss_bytes: u64,
    /// Most that was ever resident.
    pub peak_rss_bytes: u64,
}

/// Identity of this machine and user that outlives processes; tells nothing about either. Machines without an id of
/// their own (containers) are told apart by their host name.
#[must_use]
pub fn host_key() -> String {
    let machine = MACHINE_ID_FILES
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .map(|id| id.trim().to_owned())
        .find(|id| !id.is_empty())
        .unwrap_or_else(host_name);
    let user = rustix::process::getuid().as_raw();
    let hash = blake3::derive_key("fulldeck host key 1", format!("{machine}\n{user}").as_bytes());
    blake3::Hash::from_bytes(hash).to_hex()[..HOST_KEY_DIGITS].to_owned()
}

/// Name of this host.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Space of a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// What this user may still write.
    pub free: u64,
    /// The whole disk.
    pub total: u64,
}

/// Space of the disk that holds `path`; `None` where the system does not tell.
#[must_use]
pub fn disk_space(path: &Path) -> Option<DiskSpace> {
    let disk = rustix::fs::statvfs(path).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Some(DiskSpace { free: bytes(disk.f_bavail), total: bytes(disk.f_blocks) })
}

/// Bytes that this user may still write to the disk that holds `path`; `None` where the system does not tell.
#[must_use]
pub fn free_bytes(path: &Path) -> Option<u64> {
    disk_space(path).map(|disk| disk.free)
}

/// Threads this process may use: affinity and cgroup quota respected; at least 1.
#[must_use]
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Memory of this process; `None` where the system does not tell.
#[must_use]
pub fn process_memory() -> Option<ProcessMemory> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(ProcessMemory {
        rss_bytes: kib_field(&status, "VmRSS:")?,
        peak_rss_bytes: kib_field(&status, "VmHWM:")?,
    })
}

/// Memory this process may use, in bytes: the machine's, or the cgroup's if that is less; `None` where the system
/// does not tell.
#[must_use]
pub fn usable_memory() -> Option<u64> {
    let machine = kib_field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    let cgroup = fs::read_to_string(Path::new("/sys/fs/cgroup/memory.max"))
        .ok()
        .and_then(|text| text.trim().parse().ok());
    Some(cgroup.map_or(machine, |limit: u64| limit.min(machine)))
}

/// The widest vector unit of this processor that fulldeck knows: `avx512`, `avx2` or `portable`.
#[must_use]
pub fn vector_unit() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            return "avx512";
        }
        if is_x86_feature_detected!("avx2") {
            return "avx2";
        }
    }
    "portable"
}

/// A field of the form `Name:   123 kB`, in bytes.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_stable_and_the_machine_is_not_in_it() {
        assert_eq!(host_key(), host_key());
        assert_eq!(host_key().len(), HOST_KEY_DIGITS);
        if let Ok(id) = fs::read_to_string(MACHINE_ID_FILES[0]) {
            assert_ne!(id.trim(), host_key());
        }
    }

    #[test]
    fn memory_and_threads_are_plausible() {
        let memory = process_memory().unwrap();
        assert!(memory.rss_bytes > 100 << 10 && memory.peak_rss_bytes >= memory.rss_bytes / 2);
        assert!(usable_memory().unwrap() > memory.rss_bytes);
        assert!(available_threads() >= 1);
    }

    #[test]
    fn fields_are_read_in_kibibytes() {
        let text = "VmPeak:\t  9 kB\nVmRSS:\t  12 kB\nVmSwap: none\n";
        assert_eq!(kib_field(text, "VmRSS:"), Some(12 << 10));
        assert_eq!(kib_field(text, "VmHWM:"), None);
        assert_eq!(kib_field(text, "VmSwap:"), None);
    }
}
