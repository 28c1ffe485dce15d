//! What a back-end must be able to do with 64 lanes.

use crate::lanes::CHUNK;

/// 64 lanes of one byte, aligned for the widest registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Bytes(pub [i8; CHUNK]);

/// 64 lanes of two bytes, aligned for the widest registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Words(pub [u16; CHUNK]);

impl Default for Bytes {
    fn default() -> Self {
        Self([0; CHUNK])
    }
}

impl Default for Words {
    fn default() -> Self {
        Self([0; CHUNK])
    }
}

/// Operations on 64 lanes.
///
/// # Safety
/// Every method may use instructions of its back-end: call them only from functions that were entered through
/// [`super::Backend`], which has asked the processor.
pub(super) unsafe trait Vector {
    /// 64 signed or unsigned bytes.
    type Bytes: Copy;
    /// 64 unsigned 16-bit words.
    type Words: Copy;
    /// 64 truth values.
    type Mask: Copy;

    unsafe fn splat(value: u8) -> Self::Bytes;
    unsafe fn load(from: &Bytes) -> Self::Bytes;
    unsafe fn store(to: &mut Bytes, value: Self::Bytes);
    unsafe fn add(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    unsafe fn and(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    unsafe fn max(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// `table[index]` for each lane; indices are below 16.
    unsafe fn lookup(table: &[u8; 16], index: Self::Bytes) -> Self::Bytes;
    /// Signed comparison.
    unsafe fn greater(a: Self::Bytes, b: Self::Bytes) -> Self::Mask;
    /// Lanes whose top bit is set.
    unsafe fn negative(a: Self::Bytes) -> Self::Mask;
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// In `a` but not in `b`.
    unsafe fn without(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    unsafe fn bits(mask: Self::Mask) -> u64;
    /// `sum + value` where the mask is set, `sum` elsewhere.
    unsafe fn add_if(sum: Self::Bytes, mask: Self::Mask, value: Self::Bytes) -> Self::Bytes;
    unsafe fn sum(a: Self::Bytes) -> u32;

    unsafe fn words_splat(value: u16) -> Self::Words;
    unsafe fn words_load(from: &Words) -> Self::Words;
    unsafe fn words_store(to: &mut Words, value: Self::Words);
    unsafe fn widen(a: Self::Bytes) -> Self::Words;
    unsafe fn words_add(a: Self::Words, b: Self::Words) -> Self::Words;
    unsafe fn words_mul(a: Self::Words, b: Self::Words) -> Self::Words;
    unsafe fn words_add_if(sum: Self::Words, mask: Self::Mask, value: Self::Words) -> Self::Words;
    unsafe fn words_sum(a: Self::Words) -> u32;
}
