//! The server and its settings.

use std::io;
use std::time::Duration;

use fulldeck_proto::MAX_MESSAGE_BYTES;
use fulldeck_proto::v1::DESCRIPTORS;
use fulldeck_proto::v1::admin_service_server::AdminServiceServer;
use fulldeck_proto::v1::worker_service_server::WorkerServiceServer;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::admin::Admin;
use super::guard::Guard;
use super::import::Importer;
use super::worker::WorkerRpc;
use crate::handle::CoordinatorHandle;
use crate::intake::Intake;
use crate::net::{Connection, DoorLimits};
use crate::scheduler::{Identity, MAX_WORKERS, Timings};

/// A silent connection is probed after this ...
const KEEPALIVE: Duration = Duration::from_secs(10);
/// ... and closed if the probe is not answered within this.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);
/// Bounds of the connections: one for each worker and some for people; ten seconds to show a token, within which a
/// TLS connection has to come about as well.
pub(crate) const DOOR: DoorLimits = DoorLimits {
    connections: MAX_WORKERS + 512,
    strangers_per_address: 128,
    patience: Duration::from_secs(10),
};
/// Calls in progress on one connection.
const MAX_CALLS: usize = 256;
/// Largest headers of a call, in bytes.
const MAX_HEADER_BYTES: u32 = 16 << 10;

/// What the services need.
pub(crate) struct Server {
    pub(crate) handle: CoordinatorHandle,
    pub(crate) intake: Intake,
    pub(crate) identity: Identity,
    pub(crate) timings: Timings,
    pub(crate) guard: Guard,
}

impl Server {
    /// Serves until `stopping` says so; then until the calls in progress have ended.
    pub(crate) async fn serve(
        self,
        incoming: impl Stream<Item = io::Result<Connection>>,
        mut stopping: watch::Receiver<bool>,
    ) -> Result<(), tonic::transport::Error> {
        let (reporter, health) = tonic_health::server::health_reporter();
        let failed = self.handle.engine().failed();
        let reporting = tokio::spawn(report_health(reporter, failed));

        let importer = Importer { intake: self.intake.clone(), identity: self.identity.clone() };
        let worker = WorkerServiceServer::new(WorkerRpc {
            handle: self.handle.clone(),
            intake: self.intake,
            identity: self.identity,
            timings: self.timings,
        })
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let admin = AdminServiceServer::new(Admin(self.handle, importer))
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .build_v1()
            .expect("the descriptors were made by the build");

        let served = tonic::transport::Server::builder()
            .http2_keepalive_interval(Some(KEEPALIVE))
            .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .max_concurrent_streams(MAX_CALLS as u32)
            .concurrency_limit_per_connection(MAX_CALLS)
            .layer(self.guard)
            .add_service(health)
            .add_service(worker)
            .add_service(admin)
            .add_service(reflection)
            .serve_with_incoming_shutdown(incoming, async move {
                // Ends as well when the coordinator was dropped without being shut down.
                let _ = stopping.wait_for(|stop| *stop).await;
            })
            .await;
        reporting.abort();
        served
    }
}

/// Every service serves, unless the store has failed.
async fn report_health(reporter: HealthReporter, mut failed: watch::Receiver<Option<String>>) {
    let services = ["", "fulldeck.v1.WorkerService", "fulldeck.v1.AdminService"];
    loop {
        let status = match failed.borrow_and_update().is_some() {
            true => ServingStatus::NotServing,
            false => ServingStatus::Serving,
        };
        for service in services {
            reporter.set_service_status(service, status).await;
        }
        if failed.changed().await.is_err() {
            return;
        }
    }
}
