//! A coordinator for a moment: decisions about the runs of a folder that no coordinator serves take the same way as all
//! others.

use std::net::{Ipv4Addr, SocketAddr};

use fulldeck_coordinator::{Coordinator, CoordinatorHandle, CoordinatorOptions};

use crate::app::App;
use crate::cli::Link;
use crate::error::CliError;
use crate::offline::Folder;
use crate::remote;

/// Does `work` with a coordinator on the data folder, and ends it.
pub(crate) async fn with<T>(
    app: &App,
    link: &Link,
    work: impl AsyncFnOnce(CoordinatorHandle) -> Result<T, CliError>,
) -> Result<T, CliError> {
    if !Folder::exists(&link.data) {
        return Err(remote::absent(link));
    }
    let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = CoordinatorOptions::new(link.data.data_dir.clone(), nobody);
    let coordinator = Coordinator::start(options, app.registry.clone()).await?;
    let outcome = work(coordinator.handle()).await;
    coordinator.shutdown().await?;
    outcome
}
