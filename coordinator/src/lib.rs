//! The coordinator: plans runs, leases their slices to workers, keeps the results, and merges them.
//!
//! Main types: [`Coordinator`] (a running one), [`CoordinatorHandle`] (what a person may ask of it).
//! [`scheduler`] decides, [`store`] remembers, [`merge`] puts together.
//!
//! Deliberately absent: games, and computing. The workers do that; even those of the same process speak to the
//! coordinator through a socket.

mod catalog;
mod coordinator;
mod engine;
mod error;
mod handle;
mod http;
mod intake;
pub mod merge;
mod net;
mod network;
mod operator;
mod revival;
mod rpc;
pub mod scheduler;
mod self_signed;
mod space;
mod status;
pub mod store;
mod tokens;
pub mod view;
mod writer;

pub use coordinator::{Coordinator, CoordinatorOptions};
pub use error::{RequestError, ShutdownError, StartError};
pub use handle::CoordinatorHandle;
pub use network::{Encryption, NetworkOptions};
pub use self_signed::SelfSignedError;
pub use space::SpaceOptions;
