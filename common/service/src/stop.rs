//! The wish to end: once means drain, twice means now.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::exit;

/// How urgently the process is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Not at all.
    Run,
    /// Take nothing new, finish what is short, leave in order.
    Drain,
    /// Leave now.
    Stop,
}

#[derive(Clone, Copy, Debug)]
struct State {
    level: StopLevel,
    exit_code: u8,
}

/// Where the wish to end arrives. Clones see the same wish.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<State>);

/// Where the wish to end comes from. Dropping it leaves the last wish standing.
#[derive(Clone, Debug)]
pub struct StopSource(watch::Sender<State>);

impl StopSource {
    /// A source and its signal.
    #[must_use]
    pub fn new() -> (Self, StopSignal) {
        let (sender, receiver) =
            watch::channel(State { level: StopLevel::Run, exit_code: exit::OK });
        (Self(sender), StopSignal(receiver))
    }

    /// Raises the wish to at least `level`.
    pub fn raise(&self, level: StopLevel) {
        self.0.send_if_modified(|state| {
            let raised = level > state.level;
            state.level = state.level.max(level);
            raised
        });
    }

    /// One more signal of the operating system: drain at first, then stop.
    fn signalled(&self, exit_code: u8) {
        self.0.send_modify(|state| {
            state.exit_code = exit_code;
            state.level = match state.level {
                StopLevel::Run => StopLevel::Drain,
                StopLevel::Drain | StopLevel::Stop => StopLevel::Stop,
            };
        });
    }

    fn level(&self) -> StopLevel {
        self.0.borrow().level
    }
}

impl StopSignal {
    /// Listens to SIGINT and SIGTERM from now on: the first drains, the second stops, and a third ends the process
    /// on the spot with 130 or 143. SIGUSR1, by which batch systems say that the time will soon be up, drains and never
    /// more than that.
    ///
    /// # Errors
    /// If the handlers cannot be installed.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn install() -> io::Result<Self> {
        let (source, stop) = StopSource::new();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut time_is_up = signal(SignalKind::user_defined1())?;
        tokio::spawn(async move {
            loop {
                let exit_code = tokio::select! {
                    Some(()) = interrupt.recv() => exit::INTERRUPTED,
                    Some(()) = terminate.recv() => exit::TERMINATED,
                    Some(()) = time_is_up.recv() => {
                        tracing::info!("told that the time will soon be up: draining");
                        source.raise(StopLevel::Drain);
                        continue;
                    }
                    else => return,
                };
                if source.level() == StopLevel::Stop {
                    std::process::exit(i32::from(exit_code));
                }
                source.signalled(exit_code);
                match source.level() {
                    StopLevel::Stop => tracing::warn!("asked to stop again: leaving now"),
                    _ => tracing::info!("asked to stop: draining (once more to leave at once)"),
                }
            }
        });
        Ok(stop)
    }

    /// The wish as it stands.
    #[must_use]
    pub fn level(&self) -> StopLevel {
        self.0.borrow().level
    }

    /// 130 or 143 after SIGINT or SIGTERM (whichever came last), else 0.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        self.0.borrow().exit_code
    }

    /// Waits until the wish is at least `level`; for ever if it never is.
    pub async fn reached(&self, level: StopLevel) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|state| state.level >= level).await.is_err() {
            // The source is gone: nobody will ever ask.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn two_signals_drain_and_stop() {
        let (source, stop) = StopSource::new();
        assert_eq!((stop.level(), stop.exit_code()), (StopLevel::Run, 0));
        source.signalled(exit::TERMINATED);
        stop.reached(StopLevel::Drain).await;
        assert_eq!(stop.level(), StopLevel::Drain);
        source.signalled(exit::INTERRUPTED);
        stop.clone().reached(StopLevel::Stop).await;
        assert_eq!(stop.exit_code(), 130);
    }

    #[tokio::test]
    async fn a_wish_is_never_lowered_and_outlives_its_source() {
        let (source, stop) = StopSource::new();
        source.raise(StopLevel::Stop);
        source.raise(StopLevel::Drain);
        drop(source);
        stop.reached(StopLevel::Stop).await;
        assert_eq!(stop.level(), StopLevel::Stop);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_source_nothing_is_ever_reached() {
        let (_, stop) = StopSource::new();
        let waited = tokio::time::timeout(Duration::from_secs(60), stop.reached(StopLevel::Drain));
        assert!(waited.await.is_err());
    }

    #[tokio::test]
    async fn real_signals_arrive() {
        let stop = StopSignal::install().unwrap();
        let me = rustix::process::getpid();
        for _ in 0..2 {
            rustix::process::kill_process(me, rustix::process::Signal::USR1).unwrap();
            stop.reached(StopLevel::Drain).await;
        }
        assert_eq!((stop.level(), stop.exit_code()), (StopLevel::Drain, exit::OK));
        rustix::process::kill_process(me, rustix::process::Signal::TERM).unwrap();
        stop.reached(StopLevel::Stop).await;
        assert_eq!(stop.exit_code(), 143);
    }
}
