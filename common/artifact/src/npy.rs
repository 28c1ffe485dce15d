//! The `.npy` header, format 1.0: what NumPy and its many readers expect before the bare little-endian elements.

use fulldeck_job::ElementType;

const MAGIC: &[u8; 8] = b"\x93NUMPY\x01\x00";
/// Magic, version, length of the dictionary.
const PREFIX: usize = 10;
/// The elements start at a multiple of this many bytes.
const ALIGN: usize = 64;

/// NumPy's name of an element type.
pub(crate) const fn dtype(element: ElementType) -> &'static str {
    match element {
        ElementType::U8 => "|u1",
        ElementType::U16 => "<u2",
        ElementType::I32 => "<i4",
        ElementType::U32 => "<u4",
        ElementType::U64 => "<u8",
        ElementType::F64 => "<f8",
    }
}

/// The element type that NumPy calls `name`.
pub(crate) fn element(name: &str) -> Option<ElementType> {
    use ElementType::{F64, I32, U8, U16, U32, U64};
    [U8, U16, U32, I32, U64, F64].into_iter().find(|element| dtype(*element) == name)
}

/// The whole header of a row-major array; its length is a multiple of 64.
pub(crate) fn header(element: ElementType, shape: &[u64]) -> Vec<u8> {
    let mut dimensions = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 {
        dimensions.push(',');
    }
    let dictionary = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({dimensions}), }}",
        dtype(element)
    );
    let total = (PREFIX + dictionary.len() + 1).next_multiple_of(ALIGN);
    let length = u16::try_from(total - PREFIX).expect("shapes have at most 8 dimensions");
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// A whole `.npy` file: `bytes` are the elements, little endian, row-major.
///
/// # Panics
/// If there are not as many bytes as the shape has elements.
#[must_use]
pub fn npy_bytes(element: ElementType, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let expected = elements(shape).and_then(|count| count.checked_mul(element.bytes() as u64));
    assert_eq!(expected, Some(bytes.len() as u64), "bytes of shape {shape:?}");
    [header(element, shape), bytes.to_vec()].concat()
}

/// Number of elements; `None` when it does not fit in 64 bits.
pub(crate) fn elements(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1u64, |product, side| product.checked_mul(*side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_format_one_and_aligned() {
        let bytes = header(ElementType::U32, &[3, 4]);
        assert_eq!(bytes.len() % 64, 0);
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        assert_eq!(u16::from_le_bytes([bytes[8], bytes[9]]) as usize, bytes.len() - 10);
        let text = std::str::from_utf8(&bytes[10..]).unwrap();
        assert_eq!(text.trim_end(), "{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4), }");
        assert!(text.ends_with(" \n"));
    }

    #[test]
    fn one_dimension_is_a_tuple_too() {
        let bytes = header(ElementType::U64, &[7]);
        assert!(String::from_utf8_lossy(&bytes).contains("'descr': '<u8'"));
        assert!(String::from_utf8_lossy(&bytes).contains("'shape': (7,), "));
        assert!(String::from_utf8_lossy(&header(ElementType::U64, &[])).contains("'shape': (), "));
    }

    #[test]
    fn names_of_element_types_are_read_back() {
        use ElementType::{F64, I32, U8, U16, U32, U64};
        for known in [U8, U16, U32, I32, U64, F64] {
            assert_eq!(element(dtype(known)), Some(known));
        }
        assert_eq!(element("<f2"), None);
    }
}
