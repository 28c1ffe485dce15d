//! The AVX2 and AVX-512 back-ends: 64 lanes in two registers, or in one with mask registers.

use std::arch::x86_64::*;

use super::vector::{Bytes, Vector, Words};

pub(super) struct Avx2;
pub(super) struct Avx512;

#[inline(always)]
unsafe fn pair<T: Copy, U>(a: [T; 2], f: impl Fn(T) -> U) -> [U; 2] {
    [f(a[0]), f(a[1])]
}

#[inline(always)]
unsafe fn zip2<T: Copy, U>(a: [T; 2], b: [T; 2], f: impl Fn(T, T) -> U) -> [U; 2] {
    [f(a[0], b[0]), f(a[1], b[1])]
}

#[inline(always)]
unsafe fn zip4<T: Copy, U>(a: [T; 4], b: [T; 4], f: impl Fn(T, T) -> U) -> [U; 4] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

// SAFETY: reached only through `Backend`, which offers AVX2 only where the processor has it; loads and stores go
// through references to aligned 64-lane arrays.
unsafe impl Vector for Avx2 {
    type Bytes = [__m256i; 2];
    type Words = [__m256i; 4];
    /// All ones in the bytes of true lanes.
    type Mask = [__m256i; 2];

    #[inline(always)]
    unsafe fn splat(value: u8) -> Self::Bytes {
        unsafe { [_mm256_set1_epi8(value as i8); 2] }
    }
    #[inline(always)]
    unsafe fn load(from: &Bytes) -> Self::Bytes {
        let at = from.0.as_ptr().cast::<__m256i>();
        unsafe { [_mm256_load_si256(at), _mm256_load_si256(at.add(1))] }
    }
    #[inline(always)]
    unsafe fn store(to: &mut Bytes, value: Self::Bytes) {
        let at = to.0.as_mut_ptr().cast::<__m256i>();
        unsafe {
            _mm256_store_si256(at, value[0]);
            _mm256_store_si256(at.add(1), value[1]);
        }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        unsafe { zip2(a, b, |a, b| _mm256_add_epi8(a, b)) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        unsafe { zip2(a, b, |a, b| _mm256_and_si256(a, b)) }
    }
    #[inline(always)]
    unsafe fn max(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        unsafe { zip2(a, b, |a, b| _mm256_max_epi8(a, b)) }
    }
    #[inline(always)]
    unsafe fn lookup(table: &[u8; 16], index: Self::Bytes) -> Self::Bytes {
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            pair(index, |index| _mm256_shuffle_epi8(table, index))
        }
    }
    #[inline(always)]
    unsafe fn greater(a: Self::Bytes, b: Self::Bytes) -> Self::Mask {
        unsafe { zip2(a, b, |a, b| _mm256_cmpgt_epi8(a, b)) }
    }
    #[inline(always)]
    unsafe fn negative(a: Self::Bytes) -> Self::Mask {
        unsafe { pair(a, |a| _mm256_cmpgt_epi8(_mm256_setzero_si256(), a)) }
    }
    #[inline(always)]
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { zip2(a, b, |a, b| _mm256_and_si256(a, b)) }
    }
    #[inline(always)]
    unsafe fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { zip2(a, b, |a, b| _mm256_or_si256(a, b)) }
    }
    #[inline(always)]
    unsafe fn without(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { zip2(a, b, |a, b| _mm256_andnot_si256(b, a)) }
    }
    #[inline(always)]
    unsafe fn bits(mask: Self::Mask) -> u64 {
        unsafe {
            let half = pair(mask, |mask| _mm256_movemask_epi8(mask) as u32);
            u64::from(half[0]) | u64::from(half[1]) << 32
        }
    }
    #[inline(always)]
    unsafe fn add_if(sum: Self::Bytes, mask: Self::Mask, value: Self::Bytes) -> Self::Bytes {
        unsafe { Self::add(sum, Self::and(mask, value)) }
    }
    #[inline(always)]
    unsafe fn sum(a: Self::Bytes) -> u32 {
        unsafe {
            let zero = _mm256_setzero_si256();
            let sums = _mm256_add_epi64(_mm256_sad_epu8(a[0], zero), _mm256_sad_epu8(a[1], zero));
            let halves =
                _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as u32
        }
    }
    #[inline(always)]
    unsafe fn words_splat(value: u16) -> Self::Words {
        unsafe { [_mm256_set1_epi16(value as i16); 4] }
    }
    #[inline(always)]
    unsafe fn words_load(from: &Words) -> Self::Words {
        let at = from.0.as_ptr().cast::<__m256i>();
        unsafe { std::array::from_fn(|part| _mm256_load_si256(at.add(part))) }
    }
    #[inline(always)]
    unsafe fn words_store(to: &mut Words, value: Self::Words) {
        let at = to.0.as_mut_ptr().cast::<__m256i>();
        for (part, value) in value.into_iter().enumerate() {
            unsafe { _mm256_store_si256(at.add(part), value) };
        }
    }
    #[inline(always)]
    unsafe fn widen(a: Self::Bytes) -> Self::Words {
        unsafe {
            let low = pair(a, |a| _mm256_cvtepu8_epi16(_mm256_castsi256_si128(a)));
            let high = pair(a, |a| _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(a)));
            [low[0], high[0], low[1], high[1]]
        }
    }
    #[inline(always)]
    unsafe fn words_add(a: Self::Words, b: Self::Words) -> Self::Words {
        unsafe { zip4(a, b, |a, b| _mm256_add_epi16(a, b)) }
    }
    #[inline(always)]
    unsafe fn words_mul(a: Self::Words, b: Self::Words) -> Self::Words {
        unsafe { zip4(a, b, |a, b| _mm256_mullo_epi16(a, b)) }
    }
    #[inline(always)]
    unsafe fn words_add_if(sum: Self::Words, mask: Self::Mask, value: Self::Words) -> Self::Words {
        unsafe {
            let low = pair(mask, |mask| _mm256_cvtepi8_epi16(_mm256_castsi256_si128(mask)));
            let high = pair(mask, |mask| _mm256_cvtepi8_epi16(_mm256_extracti128_si256::<1>(mask)));
            let wide = [low[0], high[0], low[1], high[1]];
            Self::words_add(sum, zip4(wide, value, |mask, value| _mm256_and_si256(mask, value)))
        }
    }
    #[inline(always)]
    unsafe fn words_sum(a: Self::Words) -> u32 {
        unsafe {
            let low = _mm256_set1_epi32(0xffff);
            let total = a.iter().fold(_mm256_setzero_si256(), |total, part| {
                let even = _mm256_and_si256(*part, low);
                let odd = _mm256_srli_epi32::<16>(*part);
                _mm256_add_epi32(total, _mm256_add_epi32(even, odd))
            });
            let half =
                _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
            let half = _mm_add_epi32(half, _mm_shuffle_epi32::<0b_00_00_11_10>(half));
            let half = _mm_add_epi32(half, _mm_shuffle_epi32::<0b_00_00_00_01>(half));
            _mm_cvtsi128_si32(half) as u32
        }
    }
}

// SAFETY: reached only through `Backend`, which offers AVX-512 only where the processor has F and BW; loads and
// stores go through references to aligned 64-lane arrays.
unsafe impl Vector for Avx512 {
    type Bytes = __m512i;
    type Words = [__m512i; 2];
    type Mask = __mmask64;

    #[inline(always)]
    unsafe fn splat(value: u8) -> Self::Bytes {
        unsafe { _mm512_set1_epi8(value as i8) }
    }
    #[inline(always)]
    unsafe fn load(from: &Bytes) -> Self::Bytes {
        unsafe { _mm512_load_si512(from.0.as_ptr().cast()) }
    }
    #[inline(always)]
    unsafe fn store(to: &mut Bytes, value: Self::Bytes) {
        unsafe { _mm512_store_si512(to.0.as_mut_ptr().cast(), value) }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        unsafe { _mm512_add_epi8(a, b) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn max(a: Self::Bytes, b: Self::Bytes) -> Self::Bytes {
        unsafe { _mm512_max_epi8(a, b) }
    }
    #[inline(always)]
    unsafe fn lookup(table: &[u8; 16], index: Self::Bytes) -> Self::Bytes {
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()));
            _mm512_shuffle_epi8(table, index)
        }
    }
    #[inline(always)]
    unsafe fn greater(a: Self::Bytes, b: Self::Bytes) -> Self::Mask {
        unsafe { _mm512_cmpgt_epi8_mask(a, b) }
    }
    #[inline(always)]
    unsafe fn negative(a: Self::Bytes) -> Self::Mask {
        unsafe { _mm512_movepi8_mask(a) }
    }
    #[inline(always)]
    unsafe fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a & b
    }
    #[inline(always)]
    unsafe fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a | b
    }
    #[inline(always)]
    unsafe fn without(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a & !b
    }
    #[inline(always)]
    unsafe fn bits(mask: Self::Mask) -> u64 {
        mask
    }
    #[inline(always)]
    unsafe fn add_if(sum: Self::Bytes, mask: Self::Mask, value: Self::Bytes) -> Self::Bytes {
        unsafe { _mm512_mask_add_epi8(sum, mask, sum, value) }
    }
    #[inline(always)]
    unsafe fn sum(a: Self::Bytes) -> u32 {
        unsafe { _mm512_reduce_add_epi64(_mm512_sad_epu8(a, _mm512_setzero_si512())) as u32 }
    }
    #[inline(always)]
    unsafe fn words_splat(value: u16) -> Self::Words {
        unsafe { [_mm512_set1_epi16(value as i16); 2] }
    }
    #[inline(always)]
    unsafe fn words_load(from: &Words) -> Self::Words {
        let at = from.0.as_ptr().cast::<__m512i>();
        unsafe { [_mm512_load_si512(at), _mm512_load_si512(at.add(1))] }
    }
    #[inline(always)]
    unsafe fn words_store(to: &mut Words, value: Self::Words) {
        let at = to.0.as_mut_ptr().cast::<__m512i>();
        unsafe {
            _mm512_store_si512(at, value[0]);
            _mm512_store_si512(at.add(1), value[1]);
        }
    }
    #[inline(always)]
    unsafe fn widen(a: Self::Bytes) -> Self::Words {
        unsafe {
            [
                _mm512_cvtepu8_epi16(_mm512_castsi512_si256(a)),
                _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(a)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn words_add(a: Self::Words, b: Self::Words) -> Self::Words {
        unsafe { zip2(a, b, |a, b| _mm512_add_epi16(a, b)) }
    }
    #[inline(always)]
    unsafe fn words_mul(a: Self::Words, b: Self::Words) -> Self::Words {
        unsafe { zip2(a, b, |a, b| _mm512_mullo_epi16(a, b)) }
    }
    #[inline(always)]
    unsafe fn words_add_if(sum: Self::Words, mask: Self::Mask, value: Self::Words) -> Self::Words {
        unsafe {
            [
                _mm512_mask_add_epi16(sum[0], mask as __mmask32, sum[0], value[0]),
                _mm512_mask_add_epi16(sum[1], (mask >> 32) as __mmask32, sum[1], value[1]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn words_sum(a: Self::Words) -> u32 {
        unsafe {
            let low = _mm512_set1_epi32(0xffff);
            let parts = pair(a, |part| {
                let even = _mm512_and_si512(part, low);
                _mm512_add_epi32(even, _mm512_srli_epi32::<16>(part))
            });
            _mm512_reduce_add_epi32(_mm512_add_epi32(parts[0], parts[1])) as u32
        }
    }
}
