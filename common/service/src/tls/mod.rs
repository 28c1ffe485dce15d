//! Encryption by rustls: what a client trusts and shows, what a server shows and asks for, and what went wrong in
//! plain words.

mod client;
mod explain;
mod pem;
mod server;

pub use client::{ClientTls, TlsFlags};
pub(crate) use explain::{Trouble, trouble};
pub use pem::TlsError;
pub use server::{ServerTls, ServerTlsFiles};
