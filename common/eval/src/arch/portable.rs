//! The reference back-end: plain loops that any compiler target understands.

use super::vector::{Bytes, Vector, Words};
use crate::lanes::CHUNK;

pub(super) struct Portable;

#[inline(always)]
fn zip<T: Copy, U: Copy, V>(a: [T; CHUNK], b: [U; CHUNK], f: impl Fn(T, U) -> V) -> [V; CHUNK] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

// SAFETY: no special instructions are used; the methods are safe to call anywhere.
unsafe impl Vector for Portable {
    type Bytes = [u8; CHUNK];
    type Words = [u16; CHUNK];
    /// 0xff where true.
    type Mask = [u8; CHUNK];

    #[inline(always)]
    unsafe fn splat(value: u8) -> Self::Bytes {
        [value; CHUNK]
    }
    #[inline(always)]
    unsafe fn load(from: &Bytes) -> Self::Bytes {
        from.0.map(|byte| byte as u8)
    }
    #[inline(always)]
    unsafe fn store(to: &mut Bytes, value: Self::Bytes) {
        to.0 = value.map(|byte| byte as i8);
    }
    #[inline(always)]
    unsafe fn add(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        zip(a, b, u8::wrapping_add)
    }
    #[inline(always)]
    unsafe fn and(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        zip(a, b, |a, b| a & b)
    }
    #[inline(always)]
    unsafe fn max(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        zip(a, b, |a, b| (a as i8).max(b as i8) as u8)
    }
    #[inline(always)]
    unsafe fn lookup(table: &[u8; 16], index: Self::Bytes) -> Self::Bytes {
        index.map(|index| table[usize::from(index & 15)])
    }
    #[inline(always)]
    unsafe fn greater(a: Self::Bytes, b: Self::Bytes) -> Self::Mask {
        zip(a, b, |a, b| if (a as i8) > b as i8 { 0xff } else { 0 })
    }
    #[inline(always)]
    unsafe fn negative(a: Self::Bytes) -> Self::Mask {
        a.map(|byte| (byte as i8 >> 7) as u8)
    }
    #[inline(always)]
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        zip(a, b, |a, b| a & b)
    }
    #[inline(always)]
    unsafe fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        zip(a, b, |a, b| a | b)
    }
    #[inline(always)]
    unsafe fn without(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        zip(a, b, |a, b| a & !b)
    }
    #[inline(always)]
    unsafe fn bits(mask: Self::Mask) -> u64 {
        (0..CHUNK).fold(0, |bits, lane| bits | u64::from(mask[lane] & 1) << lane)
    }
    #[inline(always)]
    unsafe fn add_if(sum: Self::Bytes, mask: Self::Mask, value: Self::Bytes) -> Self::Bytes {
        std::array::from_fn(|lane| sum[lane].wrapping_add(mask[lane] & value[lane]))
    }
    #[inline(always)]
    unsafe fn sum(a: Self::Bytes) -> u32 {
        a.iter().map(|byte| u32::from(*byte)).sum()
    }
    #[inline(always)]
    unsafe fn words_splat(value: u16) -> Self::Words {
        [value; CHUNK]
    }
    #[inline(always)]
    unsafe fn words_load(from: &Words) -> Self::Words {
        from.0
    }
    #[inline(always)]
    unsafe fn words_store(to: &mut Words, value: Self::Words) {
        to.0 = value;
    }
    #[inline(always)]
    unsafe fn widen(a: Self::Bytes) -> Self::Words {
        a.map(u16::from)
    }
    #[inline(always)]
    unsafe fn words_add(a: Self::Words, b: Self::Words) -> Self::Words {
        zip(a, b, u16::wrapping_add)
    }
    #[inline(always)]
    unsafe fn words_mul(a: Self::Words, b: Self::Words) -> Self::Words {
        zip(a, b, u16::wrapping_mul)
    }
    #[inline(always)]
    unsafe fn words_add_if(sum: Self::Words, mask: Self::Mask, value: Self::Words) -> Self::Words {
        std::array::from_fn(|lane| {
            sum[lane].wrapping_add(i16::from(mask[lane] as i8) as u16 & value[lane])
        })
    }
    #[inline(always)]
    unsafe fn words_sum(a: Self::Words) -> u32 {
        a.iter().map(|word| u32::from(*word)).sum()
    }
}
