//! The BLAKE3 tree of an array, kept beside it: a few bytes of the array can be checked without reading the rest.
//!
//! BLAKE3 is itself a tree, so nothing new has to be trusted: the nodes combine to the digest of the whole file, which
//! the manifest has. `docs/formats/artifact.md` describes the file.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use blake3::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};
use fulldeck_job::Digest;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::ArtifactError;
use crate::error::At;

/// Bytes of the array under one leaf; the last may have fewer.
pub(crate) const LEAF_BYTES: u64 = 4 << 10;
/// Nodes of a level under one node of the next; the last may have fewer.
const FANOUT: u64 = 256;
/// Bytes of the array under one group of leaves.
pub(crate) const GROUP_BYTES: u64 = LEAF_BYTES * FANOUT;
/// Groups of nodes that are kept in memory, 8 KiB each.
const MAX_KEPT: usize = 4096;

const NODE_BYTES: usize = blake3::OUT_LEN;
type Node = [u8; NODE_BYTES];

/// The tree of an array beside it: `win.npy` has `win.tree`.
pub(crate) fn beside(array: &Path) -> PathBuf {
    array.with_extension("tree")
}

/// Writes the tree of an array to the new file `<name>.tree` beside it and makes it durable. Returns length and BLAKE3
/// of the array. Works on the current rayon pool; memory does not grow with the array.
///
/// # Errors
/// [`ArtifactError::Io`].
pub fn write_tree(array: &Path) -> Result<(u64, Digest), ArtifactError> {
    let file = File::open(array).at("open", array)?;
    let bytes = file.metadata().at("read", array)?.len();
    let levels = Levels::of(bytes);
    let path = beside(array);
    let tree = File::create(&path).at("create", &path)?;
    let store = |level: usize, first: u64, nodes: &[Node]| {
        let at = (levels.starts[level] + first) * NODE_BYTES as u64;
        tree.write_all_at(nodes.as_flattened(), at).at("write", &path)
    };
    let leaves = |group: u64| {
        let start = group * GROUP_BYTES;
        let mut buffer = vec![0; GROUP_BYTES.min(bytes - start) as usize];
        file.read_exact_at(&mut buffer, start).at("read", array)?;
        let nodes = leaf_nodes(start, &buffer);
        store(0, group * FANOUT, &nodes)?;
        Ok::<_, ArtifactError>(nodes)
    };
    let root = match levels.nodes.len() {
        0 => {
            let mut whole = vec![0; bytes as usize];
            file.read_exact_at(&mut whole, 0).at("read", array)?;
            Digest::of(&whole)
        }
        1 => root_of(&leaves(0)?),
        _ => {
            let groups = (0..levels.nodes[1]).into_par_iter();
            let mut nodes: Vec<Node> = groups
                .map(|group| leaves(group).map(|nodes| fold(&nodes)))
                .collect::<Result<_, ArtifactError>>()?;
            for level in 1.. {
                store(level, 0, &nodes)?;
                if level + 1 == levels.nodes.len() {
                    break;
                }
                nodes = nodes.chunks(FANOUT as usize).map(fold).collect();
            }
            root_of(&nodes)
        }
    };
    tree.sync_all().at("write", &path)?;
    Ok((bytes, root))
}

/// How many nodes each level has, from the leaves up to at most [`FANOUT`] of them, and where it begins. None where
/// one leaf is the whole.
struct Levels {
    nodes: Vec<u64>,
    starts: Vec<u64>,
}

impl Levels {
    fn of(bytes: u64) -> Self {
        let (mut nodes, mut starts) = (Vec::new(), Vec::new());
        let (mut count, mut start) = (bytes.div_ceil(LEAF_BYTES), 0);
        while count > 1 {
            nodes.push(count);
            starts.push(start);
            start += count;
            count = if count > FANOUT { count.div_ceil(FANOUT) } else { 1 };
        }
        Self { nodes, starts }
    }

    fn bytes(&self) -> u64 {
        self.nodes.iter().sum::<u64>() * NODE_BYTES as u64
    }
}

/// The nodes over these bytes of an array, which begin at a multiple of [`LEAF_BYTES`].
fn leaf_nodes(start: u64, bytes: &[u8]) -> Vec<Node> {
    (0u64..)
        .zip(bytes.chunks(LEAF_BYTES as usize))
        .map(|(leaf, bytes)| {
            let mut hasher = blake3::Hasher::new();
            hasher.set_input_offset(start + leaf * LEAF_BYTES);
            hasher.update(bytes).finalize_non_root()
        })
        .collect()
}

/// What sibling subtrees combine to, from the left full ones of a power of two: the shape BLAKE3 prescribes.
fn fold(nodes: &[Node]) -> Node {
    match nodes {
        [node] => *node,
        _ => {
            let (left, right) = halves(nodes);
            merge_subtrees_non_root(&fold(left), &fold(right), Mode::Hash)
        }
    }
}

fn root_of(nodes: &[Node]) -> Digest {
    let (left, right) = halves(nodes);
    Digest(*merge_subtrees_root(&fold(left), &fold(right), Mode::Hash).as_bytes())
}

fn halves(nodes: &[Node]) -> (&[Node], &[Node]) {
    let left = nodes.len().next_power_of_two() / 2;
    nodes.split_at(left)
}

/// Parts of the tree that were read and found right, by level and position.
type Kept = HashMap<(usize, u64), Arc<[Node]>>;

/// The tree of an array, open for checking. What has been checked once is kept.
pub(crate) struct Tree {
    path: PathBuf,
    file: File,
    levels: Levels,
    root: Digest,
    kept: Mutex<Kept>,
}

impl Tree {
    /// Opens the tree beside an array of this length and digest.
    pub(crate) fn open(array: &Path, bytes: u64, root: Digest) -> Result<Self, ArtifactError> {
        let path = beside(array);
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ArtifactError::damaged(&path, "it is missing"));
            }
            other => other.at("open", &path)?,
        };
        let levels = Levels::of(bytes);
        let (found, wanted) = (file.metadata().at("read", &path)?.len(), levels.bytes());
        if found != wanted {
            let why =
                format!("it has {found} bytes, for an array of {bytes} it should be {wanted}");
            return Err(ArtifactError::damaged(&path, why));
        }
        Ok(Self { path, file, levels, root, kept: Mutex::default() })
    }

    /// Whether bytes of the array are those that were written. They begin at a multiple of [`LEAF_BYTES`], end at one or
    /// at the array's end, and lie within one group.
    pub(crate) fn fits(&self, start: u64, bytes: &[u8]) -> Result<bool, ArtifactError> {
        if self.levels.nodes.is_empty() {
            return Ok(Digest::of(bytes) == self.root);
        }
        let nodes = self.group(0, start / GROUP_BYTES)?;
        let first = (start % GROUP_BYTES / LEAF_BYTES) as usize;
        let found = leaf_nodes(start, bytes);
        Ok(nodes.get(first..first + found.len()) == Some(&found[..]))
    }

    /// Checks every node.
    pub(crate) fn check(&self) -> Result<(), ArtifactError> {
        for (level, nodes) in self.levels.nodes.iter().enumerate() {
            let groups = (0..nodes.div_ceil(FANOUT)).into_par_iter();
            groups.try_for_each(|group| self.group(level, group).map(drop))?;
        }
        Ok(())
    }

    /// A group of nodes, checked against the node above them.
    fn group(&self, level: usize, group: u64) -> Result<Arc<[Node]>, ArtifactError> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nodes) = kept().get(&(level, group)) {
            return Ok(Arc::clone(nodes));
        }
        let first = group * FANOUT;
        let count = FANOUT.min(self.levels.nodes[level].saturating_sub(first));
        let mut nodes = vec![[0; NODE_BYTES]; count as usize];
        let at = (self.levels.starts[level] + first) * NODE_BYTES as u64;
        self.file.read_exact_at(nodes.as_flattened_mut(), at).at("read", &self.path)?;
        let sound = match level + 1 == self.levels.nodes.len() {
            true => root_of(&nodes) == self.root,
            false => {
                let above = self.group(level + 1, group / FANOUT)?;
                above.get((group % FANOUT) as usize) == Some(&fold(&nodes))
            }
        };
        if !sound {
            let why = format!("its nodes from byte {at} on do not fit the digest of the array");
            return Err(ArtifactError::damaged(&self.path, why));
        }
        let nodes: Arc<[Node]> = nodes.into();
        let mut kept = kept();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert((level, group), Arc::clone(&nodes));
        Ok(nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that repeat nowhere near.
    fn bytes(length: u64) -> Vec<u8> {
        (0..length).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect()
    }

    /// From one byte to three levels, full and not.
    const LENGTHS: [u64; 12] = [
        0,
        1,
        LEAF_BYTES,
        LEAF_BYTES + 1,
        3 * LEAF_BYTES,
        GROUP_BYTES - 1,
        GROUP_BYTES,
        GROUP_BYTES + 1,
        3 * GROUP_BYTES + 5 * LEAF_BYTES + 7,
        256 * GROUP_BYTES,
        256 * GROUP_BYTES + 1,
        258 * GROUP_BYTES + 77,
    ];

    #[test]
    fn the_tree_combines_to_the_digest_of_the_whole() {
        let home = tempfile::tempdir().unwrap();
        let array = home.path().join("a.npy");
        let marks = bytes(GROUP_BYTES);
        for length in LENGTHS {
            // Mostly holes, so that large ones take no room.
            let file = File::create(&array).unwrap();
            file.set_len(length).unwrap();
            for at in (0..length).step_by(marks.len() * 100 + 12_345) {
                let mark = &marks[..marks.len().min((length - at) as usize)];
                file.write_all_at(mark, at).unwrap();
            }
            let (found, root) = write_tree(&array).unwrap();
            assert_eq!((found, root), crate::digest::of_file(&array).unwrap(), "{length}");
            Tree::open(&array, length, root).unwrap().check().unwrap();
        }
    }

    #[test]
    fn every_leaf_and_no_other_fits() {
        let home = tempfile::tempdir().unwrap();
        let array = home.path().join("a.npy");
        for length in [700, 2 * GROUP_BYTES + 3 * LEAF_BYTES + 7] {
            let content = bytes(length);
            std::fs::write(&array, &content).unwrap();
            let (_, root) = write_tree(&array).unwrap();
            let tree = Tree::open(&array, length, root).unwrap();
            let leaf = |number: u64| {
                let end = (length as usize).min(((number + 1) * LEAF_BYTES) as usize);
                &content[(number * LEAF_BYTES) as usize..end]
            };
            for number in 0..length.div_ceil(LEAF_BYTES) {
                let start = number * LEAF_BYTES;
                assert!(tree.fits(start, leaf(number)).unwrap(), "{number}");
                let mut changed = leaf(number).to_vec();
                *changed.last_mut().unwrap() ^= 1;
                assert!(!tree.fits(start, &changed).unwrap(), "{number}");
            }
            // Right bytes in the wrong place do not fit either.
            assert!(length < GROUP_BYTES || !tree.fits(LEAF_BYTES, leaf(0)).unwrap());
        }
    }

    #[test]
    fn a_flipped_bit_of_the_tree_is_found() {
        let home = tempfile::tempdir().unwrap();
        let array = home.path().join("a.npy");
        let length = 2 * GROUP_BYTES + 7;
        std::fs::write(&array, bytes(length)).unwrap();
        let (_, root) = write_tree(&array).unwrap();
        let right = std::fs::read(beside(&array)).unwrap();
        for at in [0, right.len() / 2, right.len() - 1] {
            let mut damaged = right.clone();
            damaged[at] ^= 4;
            std::fs::write(beside(&array), &damaged).unwrap();
            let error = Tree::open(&array, length, root).unwrap().check().unwrap_err();
            assert!(error.to_string().contains("a.tree is damaged"), "{error}");
        }
        std::fs::write(beside(&array), &right[1..]).unwrap();
        assert!(Tree::open(&array, length, root).is_err());
    }
}
