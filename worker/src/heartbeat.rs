//! The sign of life: sent from a task of its own that waits for nothing but the clock and the wire.

use std::sync::Arc;

use fulldeck_service::host;
use tokio::time::{Instant, sleep_until};

use crate::link::Kind;
use crate::session::Worker;
use crate::token::Token;

/// Beats for ever, while there is a connection.
pub(crate) async fn beat_forever(worker: Arc<Worker>) {
    loop {
        let generation = worker.link.registered().await.generation;
        let mut last = Instant::now();
        loop {
            sleep_until(last + worker.link.timings().heartbeat).await;
            last = Instant::now();
            match worker.link.current() {
                Some(connection) if connection.generation == generation => {
                    beat(&worker, &connection).await;
                }
                _ => break,
            }
        }
    }
}

async fn beat(worker: &Worker, connection: &crate::client::Connection) {
    let Some((answer, attempts)) = worker.ledger.beat(connection.generation) else { return };
    let rss = host::process_memory().map_or(0, |memory| memory.rss_bytes);
    let reply = connection.heartbeat(answer, attempts, rss).await;
    worker.link.report(connection, Kind::Heartbeat, &reply);
    let Ok(directives) = reply else { return };
    worker.link.adopt(directives.timings.as_ref());
    worker.link.told(directives.store_failed);
    for token in directives.cancel.iter().filter_map(|token| Token::from_wire(Some(token))) {
        if worker.ledger.remove(token) {
            worker.tally.dropped();
            tracing::info!("the coordinator no longer wants one of the slices in hand");
        }
    }
    if directives.drain {
        worker.order_drain();
    }
}
