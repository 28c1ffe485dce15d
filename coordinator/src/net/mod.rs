//! Connections: how many, from whom, for how long without a token, and encrypted or not.

mod accept;
mod connection;
mod door;
mod refusals;

pub(crate) use accept::{Doorway, accept_all};
pub(crate) use connection::Connection;
pub(crate) use door::{Door, DoorLimits, Guest};
pub(crate) use refusals::Refusals;
