use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Refuses every call that changes the disk after a chosen number of them, as if the process had died there.
#[derive(Debug, Default)]
pub(in crate::store) struct Interruption(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: u64,
    last_call: Option<u64>,
    disk_full: bool,
    /// Only the first call after the last one is refused.
    once: bool,
    /// Length of each file when it was last synced.
    synced: BTreeMap<PathBuf, u64>,
}

impl Interruption {
    /// Lets the next `calls` calls pass and none after them.
    pub(super) fn stop_after(&self, calls: u64) {
        let mut state = self.0.lock().unwrap();
        state.last_call = Some(state.calls + calls);
    }

    /// Lets every call fail for want of space, or none.
    pub(super) fn set_full(&self, full: bool) {
        let mut state = self.0.lock().unwrap();
        state.last_call = full.then_some(state.calls);
        state.disk_full = full;
    }

    /// Lets the next `calls` calls pass, and refuses one for want of space.
    pub(super) fn refuse_once_after(&self, calls: u64) {
        let mut state = self.0.lock().unwrap();
        state.last_call = Some(state.calls + calls);
        state.disk_full = true;
        state.once = true;
    }

    /// Whether any call was refused.
    pub(super) fn has_struck(&self) -> bool {
        let state = self.0.lock().unwrap();
        state.last_call.is_some_and(|last| state.calls > last)
    }

    pub(in crate::store) fn pass(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.calls += 1;
        match state.last_call {
            Some(last) if state.once && state.calls > last + 1 => Ok(()),
            Some(last) if state.calls > last && state.disk_full => {
                Err(io::ErrorKind::StorageFull.into())
            }
            Some(last) if state.calls > last => Err(io::Error::other("interrupted by the test")),
            _ => Ok(()),
        }
    }

    /// Bytes of the file that have certainly reached the disk.
    pub(super) fn synced_bytes(&self, path: &Path) -> u64 {
        self.0.lock().unwrap().synced.get(path).copied().unwrap_or(0)
    }

    pub(in crate::store) fn note_synced(&self, path: &Path, file: &File) {
        let bytes = file.metadata().unwrap().len();
        self.0.lock().unwrap().synced.insert(path.to_owned(), bytes);
    }

    pub(in crate::store) fn note_renamed(&self, from: &Path, to: &Path) {
        let mut state = self.0.lock().unwrap();
        let bytes = state.synced.remove(from).unwrap_or(0);
        state.synced.insert(to.to_owned(), bytes);
    }

    /// Whether the call that was just refused is the one at which the process died.
    pub(in crate::store) fn is_first_refusal(&self) -> bool {
        let state = self.0.lock().unwrap();
        state.last_call.is_some_and(|last| state.calls == last + 1)
    }
}
