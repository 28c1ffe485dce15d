//! The gRPC contract: generated messages, clients and servers of package `fulldeck.v1`.
//!
//! Deliberately absent: logic. What a message means is said in `fulldeck/v1/*.proto`.

/// Package `fulldeck.v1`.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod v1 {
    tonic::include_proto!("fulldeck.v1");

    /// Encoded descriptors of the whole package, for reflection.
    pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
}

/// Protocol version: the major must be equal on both sides, the minor may differ.
pub const PROTOCOL: (u32, u32) = (1, 1);
/// Largest gRPC message in either direction, set on every client and server, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Most bytes of a result in one piece.
pub const MAX_CHUNK_BYTES: usize = 1 << 20;
/// Most slices in one lease answer.
pub const MAX_LEASED_SLICES: usize = 64;

const _: () = assert!(MAX_CHUNK_BYTES + (64 << 10) < MAX_MESSAGE_BYTES);
