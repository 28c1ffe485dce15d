//! Small text files: one `name value` a line, the last line a checksum.

use std::io;
use std::path::Path;

use super::StoreError;
use super::disk::Disk;

/// Longest such file, in bytes; a store of 100,000 segments needs less.
const MAX_BYTES: u64 = 4 << 20;

/// The lines of a small text file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TextFile(Vec<(String, String)>);

/// What reading found.
pub(super) enum TextRead {
    Missing,
    /// Present, but not as written.
    Damaged,
    Intact(TextFile),
}

impl TextFile {
    pub(super) fn line(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push((name.to_owned(), value.to_string()));
        self
    }

    /// The value of the first line called `name`.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn write(&self, disk: &Disk, path: &Path) -> Result<(), StoreError> {
        let mut text: String =
            self.0.iter().map(|(name, value)| format!("{name} {value}\n")).collect();
        text += &format!("checksum {:08x}\n", crc32c::crc32c(text.as_bytes()));
        disk.replace_file(path, text.as_bytes())
    }

    pub(super) fn read(path: &Path) -> Result<TextRead, StoreError> {
        let bytes = match std::fs::metadata(path) {
            Ok(metadata) if metadata.len() > MAX_BYTES => return Ok(TextRead::Damaged),
            Ok(_) => std::fs::read(path).map_err(|source| StoreError::io("read", path, source))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(TextRead::Missing),
            Err(source) => return Err(StoreError::io("read", path, source)),
        };
        Ok(Self::parse(&bytes).map_or(TextRead::Damaged, TextRead::Intact))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let body = &text[..text.rfind("checksum ")?];
        if text[body.len()..] != format!("checksum {:08x}\n", crc32c::crc32c(body.as_bytes())) {
            return None;
        }
        body.lines()
            .map(|line| line.split_once(' '))
            .map(|pair| pair.map(|(name, value)| (name.to_owned(), value.to_owned())))
            .collect::<Option<_>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_and_notices_every_changed_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("STORE");
        assert!(matches!(TextFile::read(&path), Ok(TextRead::Missing)));
        let written = TextFile::default().line("format", 1).line("segment", 1).line("segment", 2);
        written.write(&Disk::default(), &path).unwrap();
        let Ok(TextRead::Intact(read)) = TextFile::read(&path) else { panic!("it is intact") };
        assert_eq!(read, written);
        assert_eq!(read.all("segment").collect::<Vec<_>>(), ["1", "2"]);
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(TextFile::parse(&damaged), None, "byte {at}");
            assert_eq!(TextFile::parse(&bytes[..at]), None, "cut at {at}");
        }
    }
}
