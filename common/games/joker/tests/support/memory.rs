//! An artifact in memory.

use std::collections::BTreeMap;
use std::io;

use fulldeck_job::{ArrayId, ArtifactSink, ArtifactSource, ElementType};
use serde_json::Value;

/// Arrays, tables and facts; two are equal if every byte is.
#[derive(Default, PartialEq)]
pub(crate) struct Memory {
    names: Vec<String>,
    arrays: Vec<(ElementType, Vec<u8>)>,
    pub(crate) tables: BTreeMap<String, Vec<Vec<String>>>,
    pub(crate) facts: BTreeMap<String, Value>,
}

impl ArtifactSink for Memory {
    fn array(&mut self, name: &str, element: ElementType, shape: &[u64]) -> io::Result<ArrayId> {
        let elements: u64 = shape.iter().product();
        self.names.push(name.to_owned());
        self.arrays.push((element, vec![0; elements as usize * element.bytes()]));
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn write_at(&mut self, array: ArrayId, first: u64, bytes: &[u8]) -> io::Result<()> {
        let (element, data) = &mut self.arrays[array.0];
        let at = first as usize * element.bytes();
        data[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn table(
        &mut self,
        name: &str,
        header: &[&str],
        rows: &mut dyn Iterator<Item = Vec<String>>,
    ) -> io::Result<()> {
        let header = header.iter().map(|title| (*title).to_owned()).collect();
        let rows: Vec<_> = std::iter::once(header).chain(rows).collect();
        assert!(self.tables.insert(name.to_owned(), rows).is_none(), "{name} is written once");
        Ok(())
    }

    fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }
}

impl Memory {
    /// The bytes of an array, to be read or damaged.
    pub(crate) fn bytes(&mut self, array: &str) -> &mut Vec<u8> {
        let at = self.names.iter().position(|name| name == array).expect("an array of this name");
        &mut self.arrays[at].1
    }
}

impl ArtifactSource for Memory {
    fn read_at(&self, array: &str, first: u64, bytes: &mut [u8]) -> io::Result<()> {
        let at = self.names.iter().position(|name| name == array);
        let at = at.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let (element, data) = &self.arrays[at];
        let from = first as usize * element.bytes();
        bytes.copy_from_slice(&data[from..from + bytes.len()]);
        Ok(())
    }

    fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }
}
