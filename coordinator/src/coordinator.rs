//! A running coordinator: opens the store, starts the parts, and ends them in order.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use fulldeck_job::Registry;
use fulldeck_service::{Access, AccessToken, Role};
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tonic::transport::server::TcpIncoming;

use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::{ShutdownError, StartError};
use crate::handle::CoordinatorHandle;
use crate::intake::Intake;
use crate::net::{Door, Doorway, Refusals, accept_all};
use crate::network::{Credentials, NetworkOptions};
use crate::revival::{Attempts, Revival};
use crate::scheduler::{Core, Event, Identity, RunSeed, Timings, Validation};
use crate::space::{self, SpaceOptions};
use crate::store::{OpenOptions, SledStore, Store, StoreIdentity};
use crate::tokens::{self, Tokens};
use crate::writer::Writer;
use crate::{http, rpc};

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
    /// Address of the HTTP side (health, metrics, status); port 0 takes a free one. There is none without it.
    pub http: Option<SocketAddr>,
    /// Certificates, and the name by which others reach it.
    pub network: NetworkOptions,
    /// Hold slices back for one lease time that were leased when the coordinator last ended, so that workers which
    /// still compute them can say so. Of no use when the workers end with the coordinator.
    pub hold_leases: bool,
    /// Which results are computed a second time.
    pub validation: Validation,
    /// Tokens of roles; of the others, those of the access files, else new ones.
    pub tokens: BTreeMap<Role, AccessToken>,
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
            http: None,
            network: NetworkOptions::default(),
            hold_leases: true,
            validation: Validation::Off,
            tokens: BTreeMap::new(),
            store: OpenOptions::default(),
            space: SpaceOptions::default(),
        }
    }

    /// Path of the access file for holders of a role.
    #[must_use]
    pub fn access_file(&self, role: Role) -> PathBuf {
        self.data_dir.join(role.access_file())
    }
}

/// A running coordinator. Ends in order with [`Coordinator::shutdown`]; dropped, it ends as if it were killed, which
/// loses nothing that was acknowledged.
pub struct Coordinator {
    address: SocketAddr,
    http_address: Option<SocketAddr>,
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
        let listeners = Listeners::bind(&options)?;
        let (folder, opening) = (options.data_dir.clone(), options.store.clone());
        let store =
            tokio::task::spawn_blocking(move || SledStore::open(&folder, opening).inspect(report));
        let store = store
            .await
            .map_err(|error| StartError::Thread { thread: "store", reason: error.to_string() })??;
        Self::serve(options, registry, Box::new(store), listeners).await
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
        let listeners = Listeners::bind(&options)?;
        Self::serve(options, registry, store, listeners).await
    }

    async fn serve(
        options: CoordinatorOptions,
        registry: Registry,
        store: Box<dyn Store>,
        listeners: Listeners,
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

        let Listeners { incoming, http, credentials } = listeners;
        let address = address_of(&incoming, options.listen)?;
        let network = &options.network;
        let credentials = network.complete(credentials, &options.data_dir, address)?;
        let tokens = Tokens::settle(&options.data_dir, &options.tokens)?;

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
        let (replacing, book) = watch::channel(Arc::new(tokens.book.clone()));
        let refusals = Refusals::default();
        let guard = rpc::Guard { book, refusals: refusals.clone() };
        let tls = |protocol: &str| {
            let config = credentials.server.as_ref().map(|server| server.config(&[protocol]));
            config.map(TlsAcceptor::from)
        };
        let door = Door::new(rpc::DOOR);
        let sources = http::Sources {
            counters: handle.engine().counters().clone(),
            refusals: refusals.clone(),
            intake: intake.clone(),
            door: Arc::clone(&door),
        };
        let server = rpc::Server {
            handle: handle.clone(),
            intake,
            identity,
            timings: options.timings,
            guard: guard.clone(),
        };
        let doorway = Doorway { door, tls: tls("h2"), refusals: refusals.clone() };
        let server = tokio::spawn(server.serve(accept_all(incoming, doorway), stopping.clone()));
        let mut http_address = None;
        if let (Some(incoming), Some(wanted)) = (http, options.http) {
            let bound = address_of(&incoming, wanted)?;
            let is_local = bound.ip().is_loopback();
            // On loopback, nobody listens in.
            let tls = if is_local { None } else { tls("http/1.1") };
            let doorway = Doorway { door: Door::new(http::DOOR), tls, refusals };
            let site = http::Site { handle: handle.clone(), guard, sources, is_local };
            tokio::spawn(http::serve(accept_all(incoming, doorway), site, stopping));
            http_address = Some(bound);
        }
        let access = |token: &AccessToken| network.access(&credentials, address, token);
        tokens.write(&options.data_dir, access)?;
        tokio::spawn(tokens::follow(options.data_dir.clone(), replacing));
        let access = access(&tokens.of[&Role::Operator])?;
        tracing::info!(%address, data_dir = %options.data_dir.display(), "coordinator listens");
        Ok(Self {
            address,
            http_address,
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

    /// Where its HTTP side listens, if it has one.
    #[must_use]
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http_address
    }

    /// How to reach it, as its operator.
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

/// What is there before the store is opened: a taken address or a bad certificate leaves nothing to clean up.
struct Listeners {
    incoming: TcpIncoming,
    http: Option<TcpIncoming>,
    credentials: Credentials,
}

impl Listeners {
    fn bind(options: &CoordinatorOptions) -> Result<Self, StartError> {
        let network = &options.network;
        let credentials = network.credentials()?;
        let incoming = network.listen(options.listen, "--listen")?;
        let http = options.http.map(|address| network.listen(address, "--http-listen"));
        Ok(Self { incoming, http: http.transpose()?, credentials })
    }
}

fn address_of(incoming: &TcpIncoming, wanted: SocketAddr) -> Result<SocketAddr, StartError> {
    incoming.local_addr().map_err(|source| StartError::Listen {
        address: wanted,
        flag: "--listen",
        source,
    })
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
