//! A running coordinator: opens the store, starts the parts, and ends them in order.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use fulldeck_job::Registry;
use fulldeck_service::{Access, AccessError, AccessToken, host};
use tokio::sync::{mpsc, watch};
use tonic::transport::server::TcpIncoming;

use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::{ShutdownError, StartError};
use crate::handle::CoordinatorHandle;
use crate::intake::Intake;
use crate::revival::{Attempts, Revival};
use crate::rpc;
use crate::scheduler::{Core, Event, Identity, RunSeed, Timings, Validation};
use crate::space::{self, SpaceOptions};
use crate::store::{OpenOptions, SledStore, Store, StoreIdentity};
use crate::writer::Writer;

/// Name of the access file within the data folder.
const ACCESS_FILE: &str = "access.toml";
/// Calls in progress may take so long to end before their connections are closed.
const DRAIN: Duration = Duration::from_secs(5);
/// Damaged results that are named when a store is opened.
const MAX_DAMAGED_TOLD: usize = 20;
/// Messages of the writer that may wait.
const WRITTEN: usize = 64;

/// How a coordinator is run.
#[derive(Clone, Debug)]
pub struct CoordinatorOptions {
    /// Folder of the store, the access file and the artifacts; created if it is not there.
    pub data_dir: PathBuf,
    /// Address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Timings of the protocol.
    pub timings: Timings,
    /// Listen on an address that others can reach although nothing is encrypted.
    pub insecure_plaintext: bool,
    /// Hold slices back for one lease time that were leased when the coordinator last ended, so that workers which
    /// still compute them can say so. Of no use when the workers end with the coordinator.
    pub hold_leases: bool,
    /// Which results are computed a second time.
    pub validation: Validation,
    /// The token; if there is none, the one of the access file, else a new one.
    pub token: Option<AccessToken>,
    /// How the store is opened.
    pub store: OpenOptions,
    /// How the space of the disk is looked after.
    pub space: SpaceOptions,
}

impl CoordinatorOptions {
    /// The usual options.
    #[must_use]
    pub fn new(data_dir: PathBuf, listen: SocketAddr) -> Self {
        Self {
            data_dir,
            listen,
            timings: Timings::default(),
            insecure_plaintext: false,
            hold_leases: true,
            validation: Validation::Off,
            token: None,
            store: OpenOptions::default(),
            space: SpaceOptions::default(),
        }
    }

    /// Path of the access file.
    #[must_use]
    pub fn access_file(&self) -> PathBuf {
        self.data_dir.join(ACCESS_FILE)
    }
}

/// A running coordinator. Ends in order with [`Coordinator::shutdown`]; dropped, it ends as if it were killed, which
/// loses nothing that was acknowledged.
pub struct Coordinator {
    address: SocketAddr,
    access: Access,
    handle: CoordinatorHandle,
    engine: tokio::task::JoinHandle<()>,
    writer: JoinHandle<()>,
    server: tokio::task::JoinHandle<Result<(), tonic::transport::Error>>,
    stop_server: watch::Sender<bool>,
    watch: tokio::task::JoinHandle<()>,
}

impl Coordinator {
    /// Listens, opens the store, recovers its runs, and writes the access file (for its owner alone). A folder that was
    /// not there before is not there after an error either.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(
        options: CoordinatorOptions,
        registry: Registry,
    ) -> Result<Self, StartError> {
        // Listening comes first: a taken address leaves nothing to clean up. Calls wait until they can be served.
        let incoming = listen(&options)?;
        let (folder, opening) = (options.data_dir.clone(), options.store.clone());
        let store =
            tokio::task::spawn_blocking(move || SledStore::open(&folder, opening).inspect(report));
        let store = store
            .await
            .map_err(|error| StartError::Thread { thread: "store", reason: error.to_string() })??;
        Self::serve(options, registry, Box::new(store), incoming).await
    }

    /// As [`Coordinator::start`], on a store that is open already.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start_on(
        options: CoordinatorOptions,
        registry: Registry,
        store: Box<dyn Store>,
    ) -> Result<Self, StartError> {
        let incoming = listen(&options)?;
        Self::serve(options, registry, store, incoming).await
    }

    async fn serve(
        options: CoordinatorOptions,
        registry: Registry,
        store: Box<dyn Store>,
        incoming: TcpIncoming,
    ) -> Result<Self, StartError> {
        let (data_dir, known) = (options.data_dir.clone(), registry.clone());
        let recovering = tokio::task::spawn_blocking(move || {
            let (catalog, seeds) = Catalog::recover(&data_dir, &known, store.recover()?)?;
            Ok::<_, StartError>((store, catalog, seeds))
        });
        let (store, catalog, seeds) = recovering
            .await
            .map_err(|error| StartError::Thread { thread: "store", reason: error.to_string() })??;
        let catalog = Arc::new(catalog);
        let identity = identity(store.as_ref(), &seeds)?;
        let reader = store.reader();

        let address = incoming
            .local_addr()
            .map_err(|source| StartError::Listen { address: options.listen, source })?;
        let access = access(&options, address)?;

        let intake = Intake::new()
            .map_err(|error| StartError::Thread { thread: "intake", reason: error.to_string() })?;
        let (written, from_writer) = mpsc::channel(WRITTEN);
        let revival = Revival {
            data_dir: options.data_dir.clone(),
            registry: registry.clone(),
            catalog: Arc::clone(&catalog),
            attempts: Attempts::new(options.space.check_every),
        };
        let (writer, writer_thread) = Writer::start(store, revival, written)
            .map_err(|error| StartError::Thread { thread: "writer", reason: error.to_string() })?;
        let core = Core::new(identity.clone(), options.timings).with_validation(options.validation);
        let (engine, engine_task) =
            Engine::start(core, options.timings, Arc::clone(&catalog), writer.clone(), from_writer);
        for mut seed in seeds {
            if !options.hold_leases {
                seed.unconfirmed.clear();
            }
            engine.tell(Event::RunAdded(seed)).await.map_err(|refusal| StartError::Thread {
                thread: "scheduler",
                reason: refusal.to_string(),
            })?;
        }
        let writer = Arc::new(writer);
        let watching = space::watch(
            engine.clone(),
            Arc::downgrade(&writer),
            options.data_dir.clone(),
            options.space,
        );
        let handle = CoordinatorHandle::new(
            options.data_dir.clone(),
            registry,
            catalog,
            engine,
            writer,
            reader,
            options.space,
        );
        let (stop_server, stopping) = watch::channel(false);
        let mut stop_watching = stopping.clone();
        let watch = tokio::spawn(async move {
            tokio::select! {
                () = watching => {}
                // Ends as well when the coordinator is dropped.
                _ = stop_watching.wait_for(|stop| *stop) => {}
            }
        });
        let server = rpc::Server {
            handle: handle.clone(),
            intake,
            identity,
            timings: options.timings,
            token: access.token.clone(),
        };
        let server = tokio::spawn(server.serve(incoming, stopping));
        access.write(&options.access_file())?;
        tracing::info!(%address, data_dir = %options.data_dir.display(), "coordinator listens");
        Ok(Self {
            address,
            access,
            handle,
            engine: engine_task,
            writer: writer_thread,
            server,
            stop_server,
            watch,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How to reach it.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// What a person may ask of it.
    #[must_use]
    pub fn handle(&self) -> CoordinatorHandle {
        self.handle.clone()
    }

    /// Ends in order: nothing more is leased, what is being uploaded becomes durable, the store is closed.
    ///
    /// # Errors
    /// [`ShutdownError`] if a part or the store failed; what was acknowledged is durable all the same.
    pub async fn shutdown(self) -> Result<(), ShutdownError> {
        let engine = self.handle.engine().clone();
        // A scheduler that is gone has nobody waiting.
        let _ = engine.tell(Event::Close).await;
        self.stop_server.send_replace(true);
        let mut server = self.server;
        let served = match tokio::time::timeout(DRAIN, &mut server).await {
            Ok(ended) => ended,
            Err(_) => {
                tracing::warn!("connections are still open: closing them");
                server.abort();
                Ok(Ok(()))
            }
        };
        self.watch.abort();
        engine.stop().await;
        let scheduled = self.engine.await;
        self.handle.close();
        let writer = self.writer;
        let written = tokio::task::spawn_blocking(move || writer.join()).await;
        served.map_err(|_| ShutdownError::Panicked("server"))??;
        scheduled.map_err(|_| ShutdownError::Panicked("scheduler"))?;
        if !matches!(written, Ok(Ok(()))) {
            return Err(ShutdownError::Panicked("writer"));
        }
        let failed = self.handle.engine().failed().borrow().clone();
        failed.map_or(Ok(()), |reason| Err(ShutdownError::Store(reason)))
    }
}

fn listen(options: &CoordinatorOptions) -> Result<TcpIncoming, StartError> {
    let address = options.listen;
    if !address.ip().is_loopback() && !options.insecure_plaintext {
        return Err(StartError::PublicPlaintext(address));
    }
    TcpIncoming::bind(address).map_err(|source| StartError::Listen { address, source })
}

/// Who this start is. Earlier starts are known by the leases they left.
fn identity(store: &dyn Store, seeds: &[RunSeed]) -> Result<Identity, StartError> {
    let this = store.identity();
    let mut earlier: Vec<_> = seeds
        .iter()
        .flat_map(|seed| &seed.unconfirmed)
        .map(|(_, token)| (token.epoch, token.start_id))
        .collect();
    earlier.sort_unstable();
    earlier.dedup();
    let StoreIdentity { store_id, epoch, start_id } = this;
    Ok(Identity { store_id, epoch, start_id, secret: secret()?, earlier })
}

/// What only this start knows.
fn secret() -> Result<[u8; 32], StartError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| StartError::Thread { thread: "random", reason: error.to_string() })?;
    Ok(secret)
}

/// The token outlives restarts, so that workers with a copy of the access file find back.
fn access(options: &CoordinatorOptions, address: SocketAddr) -> Result<Access, StartError> {
    let token = match &options.token {
        Some(token) => token.clone(),
        None => match kept_token(&options.access_file()) {
            Some(token) => token,
            None => AccessToken::random()?,
        },
    };
    let url = if address.ip().is_unspecified() {
        format!("http://{}:{}", host::host_name(), address.port())
    } else {
        format!("http://{address}")
    };
    Ok(Access::new(&url, token)?)
}

fn kept_token(file: &Path) -> Option<AccessToken> {
    match Access::read(file) {
        Ok(access) => Some(access.token),
        Err(AccessError::Read { .. }) => None,
        Err(error) => {
            tracing::warn!("{error}; writing a new one");
            None
        }
    }
}

/// What opening the store had to do.
fn report(store: &SledStore) {
    let recovery = store.recovery();
    if let Some(reason) = &recovery.rebuilt {
        let lost = if recovery.damaged.is_empty() { ", and nothing is lost" } else { "" };
        tracing::warn!(
            "the index could not be used ({reason}): it was rebuilt from the segments{lost}"
        );
    }
    if recovery.replayed > 0 {
        tracing::info!(records = recovery.replayed, "results were brought into the index");
    }
    if recovery.torn_bytes > 0 {
        tracing::warn!(
            bytes = recovery.torn_bytes,
            "the unfinished end of the last segment was cut"
        );
    }
    for damage in recovery.damaged.iter().take(MAX_DAMAGED_TOLD) {
        tracing::error!("{damage}");
    }
    if let Some(more @ 1..) = recovery.damaged.len().checked_sub(MAX_DAMAGED_TOLD) {
        tracing::error!("and {more} more are damaged or lost");
    }
    for note in &recovery.notes {
        tracing::info!("{note}");
    }
}
