//! How many may be connected, and how many of them without having shown a token.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bounds of one listener.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoorLimits {
    /// Connections in all.
    pub(crate) connections: usize,
    /// Connections from one address that have not shown a token yet.
    pub(crate) strangers_per_address: usize,
    /// Time in which a connection has to show a token.
    pub(crate) patience: Duration,
}

/// Counts who comes and goes.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) limits: DoorLimits,
    places: Arc<Semaphore>,
    strangers: Mutex<BTreeMap<IpAddr, usize>>,
}

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// All places are taken.
    Places,
    /// Too many of this address wait without a token.
    Strangers,
}

impl Door {
    pub(crate) fn new(limits: DoorLimits) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(limits.connections));
        Arc::new(Self { limits, places, strangers: Mutex::default() })
    }

    /// Lets somebody in.
    pub(crate) fn enter(self: &Arc<Self>, peer: SocketAddr) -> Result<Arc<Guest>, Full> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Full::Places)?;
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        let here = strangers.entry(peer.ip()).or_default();
        if *here >= self.limits.strangers_per_address {
            return Err(Full::Strangers);
        }
        *here += 1;
        let (door, known) = (Arc::clone(self), AtomicBool::new(false));
        Ok(Arc::new(Guest { peer, door, known, _place: place }))
    }

    /// Connections there are.
    pub(crate) fn guests(&self) -> usize {
        self.limits.connections - self.places.available_permits()
    }

    fn no_stranger(&self, address: IpAddr) {
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(here) = strangers.get_mut(&address) {
            *here -= 1;
            if *here == 0 {
                strangers.remove(&address);
            }
        }
    }
}

/// Who is at the other end of a connection. Leaves the door when it is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) peer: SocketAddr,
    door: Arc<Door>,
    known: AtomicBool,
    _place: OwnedSemaphorePermit,
}

impl Guest {
    /// A token was shown: the connection may stay.
    pub(crate) fn welcome(&self) {
        if !self.known.swap(true, Ordering::Relaxed) {
            self.door.no_stranger(self.peer.ip());
        }
    }

    pub(crate) fn is_known(&self) -> bool {
        self.known.load(Ordering::Relaxed)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if !self.is_known() {
            self.door.no_stranger(self.peer.ip());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_of_one_address_do_not_keep_others_out() {
        let patience = Duration::from_secs(1);
        let door = Door::new(DoorLimits { connections: 4, strangers_per_address: 2, patience });
        let (one, other) = (([10, 0, 0, 1], 1).into(), ([10, 0, 0, 2], 1).into());
        let first = door.enter(one).unwrap();
        let second = door.enter(one).unwrap();
        assert_eq!(door.enter(one).unwrap_err(), Full::Strangers);
        let third = door.enter(other).unwrap();
        first.welcome();
        first.welcome();
        let fourth = door.enter(one).unwrap();
        assert_eq!(door.enter(other).unwrap_err(), Full::Places);
        assert_eq!(door.guests(), 4);
        drop((first, second, third, fourth));
        assert_eq!(door.guests(), 0);
        assert!(door.strangers.lock().unwrap().is_empty());
    }
}
