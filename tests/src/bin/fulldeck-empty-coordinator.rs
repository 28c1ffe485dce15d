//! A coordinator that knows only the workload `empty`, on the data folder of its first word; runs as many slices as the
//! second word says, until it is asked to end.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;

use fulldeck_coordinator::{Coordinator, CoordinatorOptions};
use fulldeck_service::logging::LogFormat;
use fulldeck_service::{StopLevel, StopSignal, exit, logging};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::from(exit::OK),
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::from(exit::UNEXPECTED)
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    logging::init("warn", LogFormat::Text)?;
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().ok_or("the data folder is missing")?);
    let slices = words.next().ok_or("the number of slices is missing")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let stop = StopSignal::install()?;
        let options = CoordinatorOptions::new(folder, (Ipv4Addr::LOCALHOST, 0).into());
        let coordinator = Coordinator::start(options, fulldeck_tests::empty::registry()).await?;
        let parameters = [format!("slices={slices}")];
        coordinator.handle().submit("empty", &parameters, 0).await?;
        stop.reached(StopLevel::Drain).await;
        coordinator.shutdown().await?;
        Ok(())
    })
}
