//! Every call that changes the disk, in one place, so that tests can stop the world at any of them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::StoreError;

/// The calls that change the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    /// Stops the world at a chosen call.
    #[cfg(test)]
    pub(super) interruption: std::sync::Arc<super::tests::Interruption>,
}

impl Disk {
    /// Announces a call that the index is about to make.
    pub(super) fn announce(&self) -> io::Result<()> {
        #[cfg(test)]
        self.interruption.pass()?;
        Ok(())
    }

    pub(super) fn create_new(&self, path: &Path) -> Result<File, StoreError> {
        self.announce()
            .and_then(|()| {
                OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)
            })
            .map_err(|source| StoreError::io("create", path, source))
    }

    /// Writes all of `bytes` at `offset`.
    pub(super) fn write_at(
        &self,
        file: &File,
        path: &Path,
        bytes: &[u8],
        offset: u64,
    ) -> Result<(), StoreError> {
        #[cfg(test)]
        if let Err(source) = self.interruption.pass() {
            // A process that dies in the middle of a write leaves a part of it.
            if self.interruption.is_first_refusal() {
                file.write_all_at(&bytes[..bytes.len() / 2], offset).expect("the test disk writes");
            }
            return Err(StoreError::io("write", path, source));
        }
        file.write_all_at(bytes, offset).map_err(|source| StoreError::io("write", path, source))
    }

    /// Makes the data of `file` durable.
    pub(super) fn sync_data(&self, file: &File, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| file.sync_data())
            .map_err(|source| StoreError::io("sync", path, source))?;
        #[cfg(test)]
        self.interruption.note_synced(path, file);
        Ok(())
    }

    /// Makes data and length of `file` durable.
    pub(super) fn sync_all(&self, file: &File, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| file.sync_all())
            .map_err(|source| StoreError::io("sync", path, source))?;
        #[cfg(test)]
        self.interruption.note_synced(path, file);
        Ok(())
    }

    /// Makes the names in a folder durable.
    pub(super) fn sync_folder(&self, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| File::open(path)?.sync_all())
            .map_err(|source| StoreError::io("sync the folder", path, source))
    }

    /// Really allocates so many bytes.
    pub(super) fn allocate(&self, file: &File, path: &Path, bytes: u64) -> Result<(), StoreError> {
        let allocated = self.announce().and_then(|()| {
            Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes)?)
        });
        allocated.map_err(|source| StoreError::io("allocate", path, source))
    }

    /// Makes a folder, and those above it that are missing.
    pub(super) fn create_folders(&self, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| std::fs::create_dir_all(path))
            .map_err(|source| StoreError::io("create", path, source))
    }

    pub(super) fn cut(&self, file: &File, path: &Path, length: u64) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| file.set_len(length))
            .map_err(|source| StoreError::io("shorten", path, source))
    }

    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| std::fs::rename(from, to))
            .map_err(|source| StoreError::io("rename", from, source))?;
        #[cfg(test)]
        self.interruption.note_renamed(from, to);
        Ok(())
    }

    /// A second name of a file, on the same disk.
    pub(super) fn link(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| std::fs::hard_link(from, to))
            .map_err(|source| StoreError::io("link", to, source))
    }

    pub(super) fn remove(&self, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| std::fs::remove_file(path))
            .map_err(|source| StoreError::io("remove", path, source))
    }

    pub(super) fn remove_folder(&self, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| std::fs::remove_dir_all(path))
            .map_err(|source| StoreError::io("remove", path, source))
    }

    /// Removes a folder unless there is anything in it.
    pub(super) fn remove_empty_folder(&self, path: &Path) -> Result<(), StoreError> {
        self.announce()
            .and_then(|()| std::fs::remove_dir(path))
            .map_err(|source| StoreError::io("remove", path, source))
    }

    /// Writes a whole file so that a crash leaves the old one or the new one: temporary file, sync, rename, sync of
    /// the folder.
    pub(super) fn replace_file(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let temporary = path.with_extension("tmp");
        let file = self.create_new(&temporary)?;
        self.write_at(&file, &temporary, bytes, 0)?;
        self.sync_all(&file, &temporary)?;
        self.rename(&temporary, path)?;
        self.sync_folder(path.parent().expect("files of a store lie in a folder"))
    }
}
