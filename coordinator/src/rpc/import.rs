//! ImportResult: results that were computed without this coordinator, checked like those of workers.

use fulldeck_job::record::Token;
use fulldeck_proto::v1;
use tonic::{Status, Streaming};

use super::convert;
use super::status::unexpected;
use super::upload::Upload;
use crate::handle::CoordinatorHandle;
use crate::intake::Intake;
use crate::scheduler::{Event, Identity, Reply};

/// Takes results that nobody was given to compute.
pub(super) struct Importer {
    pub(super) intake: Intake,
    pub(super) identity: Identity,
}

impl Importer {
    pub(super) async fn import(
        &self,
        handle: &CoordinatorHandle,
        pieces: Streaming<v1::UploadPiece>,
    ) -> Result<v1::UploadResponse, Status> {
        let mut upload = Upload::begin(&self.intake, pieces).await?;
        let offer = convert::import(&upload.header, self.token())?;
        let engine = handle.engine();
        let run = match engine.call(move |reply| Event::ImportOffer { reply, offer }).await? {
            Reply::Proceed { run } => run,
            Reply::Outcome(outcome) => {
                upload.discard().await;
                return Ok(convert::outcome(outcome));
            }
            other => return Err(unexpected(&other)),
        };
        let (compute_ms, host) = (upload.header.compute_ms, upload.header.host);
        let mut result = match upload.receive(handle, &self.intake, offer, run).await? {
            Ok(result) => result,
            Err(damage) => return Ok(convert::corrupt(damage)),
        };
        result.bytes.host = host;
        let event = move |reply| Event::Import { reply, offer, compute_ms };
        match engine.call_with(Some(result.bytes), event).await? {
            Reply::Outcome(outcome) => Ok(convert::outcome(outcome)),
            other => Err(unexpected(&other)),
        }
    }

    /// In place of an attempt: no attempt has the number 0.
    fn token(&self) -> Token {
        let Identity { store_id, epoch, start_id, .. } = self.identity;
        Token { store_id, epoch, start_id, sequence: 0 }
    }
}
