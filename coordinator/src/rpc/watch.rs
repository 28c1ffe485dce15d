//! Runs that are watched: pushed to whoever looks, when something has changed.

use std::time::Duration;

use fulldeck_proto::v1;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::error::RequestError;
use crate::handle::CoordinatorHandle;

/// Between two looks at a run.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// A run that does not change is sent again after so many looks: time passes, and a dead peer is noticed.
const SENT_AGAIN_AFTER: u32 = 20;

pub(super) type RunStream = ReceiverStream<Result<v1::RunStatus, Status>>;

/// Sends a run whenever it has changed, until it ends or nobody listens.
pub(super) async fn run(handle: CoordinatorHandle, run: String) -> Result<RunStream, RequestError> {
    let mut known = handle.status(&run).await?;
    let number = known.spec.as_ref().map_or(0, |spec| spec.run).to_string();
    // One answer may wait; whoever is slow misses some, never grows a queue.
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut looks = 0;
        let mut next = Ok(known.clone());
        loop {
            let ended = next.as_ref().is_ok_and(has_ended) || next.is_err();
            if sender.send(next.map_err(Status::from)).await.is_err() || ended {
                return;
            }
            next = loop {
                tokio::time::sleep(LOOK_EVERY).await;
                looks += 1;
                match handle.status(&number).await {
                    Ok(now) if looks < SENT_AGAIN_AFTER && is_same(&known, &now) => {
                        if sender.is_closed() {
                            return;
                        }
                    }
                    answer => break answer,
                }
            };
            looks = 0;
            if let Ok(now) = &next {
                known = now.clone();
            }
        }
    });
    Ok(ReceiverStream::new(receiver))
}

fn has_ended(status: &v1::RunStatus) -> bool {
    matches!(
        status.state(),
        v1::RunState::Finished | v1::RunState::FinishedWithParked | v1::RunState::Cancelled
    )
}

/// Whether nothing but time has passed.
fn is_same(one: &v1::RunStatus, other: &v1::RunStatus) -> bool {
    let still = |status: &v1::RunStatus| v1::RunStatus {
        cost_per_second: 0.0,
        seconds_left_low: None,
        seconds_left_high: None,
        last_commit_seconds_ago: None,
        stuck_seconds: 0.0,
        ..status.clone()
    };
    still(one) == still(other)
}
