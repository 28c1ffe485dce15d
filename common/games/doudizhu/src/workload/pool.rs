//! Things that are costly to make and used by one thread at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returned things wait here; there are never more than were in use at once.
#[derive(Debug)]
pub(super) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> Pool<T> {
    /// Lends one to `work`, or a new one. Lost if `work` panics.
    pub(super) fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let waiting = self.lock().pop();
        let mut one = waiting.unwrap_or_else(make);
        let result = work(&mut one);
        self.lock().push(one);
        result
    }

    /// A panic while pushing or popping cannot leave it half changed.
    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
