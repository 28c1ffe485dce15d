//! sled panics where others answer with an error. Its panics are caught here, and whoever prints panics can tell.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// How the names of sled's own threads begin.
const SLED_THREADS: &str = "sled";

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does what may panic; `Err` if it did.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> thread::Result<T> {
    let outer = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    outcome
}

/// Whether a panic of this thread is sled's, caught, and told of in the store's own words: a panic hook need not
/// print it.
#[must_use]
pub fn panic_is_handled() -> bool {
    let of_sled = || thread::current().name().is_some_and(|name| name.starts_with(SLED_THREADS));
    // A thread that is ending has no such value any more.
    GUARDED.try_with(Cell::get).unwrap_or(false) || of_sled()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_guarded_is_handled() {
        assert!(!panic_is_handled());
        assert!(guarded(panic_is_handled).unwrap());
        let nested = guarded(|| {
            assert!(guarded(|| panic!("inner")).is_err());
            panic_is_handled()
        });
        assert!(nested.unwrap());
        assert!(!panic_is_handled());
        let named = thread::Builder::new().name("sled-io-1".to_owned()).spawn(panic_is_handled);
        assert!(named.unwrap().join().unwrap());
    }
}
