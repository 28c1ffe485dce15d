//! The folder of a shard's bundles: who writes there, and what is there already.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use fulldeck_job::SliceId;
use fulldeck_job::record::bundle::{Bundle, BundleError, BundleHeader};

use super::ComputeShardError;
use super::file::{BundleFile, EXTENSION, PART, failed};

/// Bytes below which a file cannot hold anything.
const NOTHING: u64 = 64 + 256;

pub(super) struct Folder {
    folder: PathBuf,
    header: BundleHeader,
    /// What the names of this shard's files begin with.
    stem: String,
    next: u32,
    /// Bundles that an earlier process left unsealed, sealed now.
    pub(super) salvaged: Vec<PathBuf>,
    /// Held until the process ends.
    _lock: File,
}

impl Folder {
    /// Creates the folder if it is not there, keeps others from writing the same shard, and seals what an earlier
    /// process left unsealed.
    pub(super) fn open(folder: &Path, header: &BundleHeader) -> Result<Self, ComputeShardError> {
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
        let stem = format!(
            "{}-{}of{}",
            header.fingerprint.short(),
            header.shard.index(),
            header.shard.of()
        );
        let lock = lock(&folder.join(format!(".{stem}.lock")))?;
        let (folder, header) = (folder.to_owned(), header.clone());
        let mut this = Self { folder, header, stem, next: 1, salvaged: Vec::new(), _lock: lock };
        for path in this.files()? {
            if let Some((sequence, is_part)) = this.own(&path) {
                this.next = this.next.max(sequence + 1);
                if is_part {
                    this.salvage(path)?;
                }
            }
        }
        Ok(this)
    }

    /// Which of these slices are whole in sealed bundles of the folder, whichever shard they were written for.
    pub(super) fn held(&self, wanted: &[SliceId]) -> Result<BTreeSet<u32>, ComputeShardError> {
        let wanted: BTreeSet<u32> = wanted.iter().map(|slice| slice.0).collect();
        let mut held = BTreeSet::new();
        for path in self.files()? {
            let of_run = name(&path).starts_with(&self.header.fingerprint.short());
            if of_run && path.extension().is_some_and(|extension| extension == EXTENSION) {
                self.look_into(&path, &wanted, &mut held)?;
            }
        }
        Ok(held)
    }

    /// The next bundle of this shard.
    pub(super) fn next_file(&mut self) -> Result<BundleFile, ComputeShardError> {
        let sequence = self.next;
        self.next += 1;
        let path = self.folder.join(format!("{}-{sequence:04}.{EXTENSION}", self.stem));
        BundleFile::create(&path, &self.header, sequence)
    }

    fn look_into(
        &self,
        path: &Path,
        wanted: &BTreeSet<u32>,
        held: &mut BTreeSet<u32>,
    ) -> Result<(), ComputeShardError> {
        let broken = |source| ComputeShardError::Bundle { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed("read", path))?;
        let length = file.metadata().map_err(failed("read", path))?.len();
        let (header, entries) = match Bundle::glance(&file, length) {
            Ok(seen) => seen,
            // What cannot be read is computed again; the file stays for whoever wants to look at it.
            Err(BundleError::Head | BundleError::Run | BundleError::Text(_)) => {
                tracing::warn!("{} is damaged and counts as if it were not there", path.display());
                return Ok(());
            }
            Err(source) => return Err(broken(source)),
        };
        if header.fingerprint != self.header.fingerprint {
            return Ok(());
        }
        if !header.is_of_the_plan_of(&self.header) {
            return Err(ComputeShardError::OtherPlan(path.to_owned()));
        }
        let is_ours = |slice: &u32| wanted.contains(slice);
        // Others' bundles are many: only those that say to hold something of this shard are read.
        if entries.is_some_and(|entries| !entries.iter().any(|entry| is_ours(&entry.slice))) {
            return Ok(());
        }
        let bundle = Bundle::read(&file, length).map_err(broken)?;
        for damage in &bundle.damage {
            let (at, what) = (damage.offset, damage.what);
            tracing::warn!("{} at byte {at}: {what}; it is computed again", path.display());
        }
        held.extend(bundle.results.iter().map(|result| result.slice).filter(is_ours));
        Ok(())
    }

    /// Seals what an earlier process could not.
    fn salvage(&mut self, path: PathBuf) -> Result<(), ComputeShardError> {
        let file = File::open(&path).map_err(failed("read", &path))?;
        let length = file.metadata().map_err(failed("read", &path))?.len();
        match Bundle::read(&file, length) {
            Ok(bundle) if bundle.header.is_of_the_plan_of(&self.header) => {
                let encoder = bundle.resume();
                if encoder.results() == 0 {
                    return fs::remove_file(&path).map_err(failed("remove", &path));
                }
                let results = encoder.results();
                let sealed = BundleFile::resume(path, encoder)?.seal()?;
                tracing::info!(results, "{} was left unsealed, sealed now", sealed.display());
                self.salvaged.push(sealed);
                Ok(())
            }
            Ok(_) => Err(ComputeShardError::OtherPlan(path)),
            Err(BundleError::Io(source)) => Err(failed("read", &path)(source)),
            Err(_) if length <= NOTHING => fs::remove_file(&path).map_err(failed("remove", &path)),
            // Nothing can be believed of it; it is computed again, and the file is kept out of the way.
            Err(error) => {
                tracing::warn!("{} is of no use: {error}", path.display());
                let aside = path.with_extension("bad");
                fs::rename(&path, aside).map_err(failed("rename", &path))
            }
        }
    }

    fn files(&self) -> Result<Vec<PathBuf>, ComputeShardError> {
        let listed = fs::read_dir(&self.folder).and_then(|entries| {
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()
        });
        let mut files = listed.map_err(failed("list", &self.folder))?;
        files.sort();
        Ok(files)
    }

    /// Number of a file of this shard, and whether it is unsealed.
    fn own(&self, path: &Path) -> Option<(u32, bool)> {
        let name = name(path);
        let rest = name.strip_prefix(self.stem.as_str())?.strip_prefix('-')?;
        let (sequence, ending) = rest.split_once('.')?;
        let unsealed = format!("{EXTENSION}.{PART}");
        Some((sequence.parse().ok()?, ending == unsealed))
    }
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Takes the lock that keeps two processes from the same shard.
fn lock(path: &Path) -> Result<File, ComputeShardError> {
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(failed("create", path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let folder = path.parent().unwrap_or(path).to_owned();
            Err(ComputeShardError::Busy(folder))
        }
        // Some network disks have no locks: names of bundles collide, and the second writer is refused.
        Err(TryLockError::Error(error)) => {
            tracing::warn!("{} cannot be locked: {error}", path.display());
            Ok(file)
        }
    }
}
