//! What the tests share: known answers, the plain reference, and random hands.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "each test uses a part; tests fail by panicking"
)]

pub(crate) mod csv;
pub(crate) mod memory;
pub(crate) mod plain;
pub(crate) mod random;
