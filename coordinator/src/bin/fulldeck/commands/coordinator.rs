//! `fulldeck coordinator`

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use fulldeck_coordinator::scheduler::{Millis, Timings, Validation};
use fulldeck_coordinator::{
    Coordinator, CoordinatorOptions, Encryption, NetworkOptions, StartError,
};
use fulldeck_service::logging::LogFormat;
use fulldeck_service::{AccessToken, Role, ServerTlsFiles, StopLevel, StopSignal, exit};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::cli::{DataDir, quoted};
use crate::disk_args::DiskArgs;
use crate::error::CliError;
use crate::output::table::pairs;
use crate::output::{Answer, Style, object};

/// Heartbeats that a lease holds at least: some may get lost.
const MIN_BEATS: u64 = 4;

/// Flags of `coordinator`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fulldeck coordinator --data-dir D
  fulldeck coordinator --data-dir D --listen 0.0.0.0:7411 --tls-self-signed
  fulldeck coordinator --listen 0.0.0.0:7411 --tls-cert cert.pem --tls-key key.pem
  fulldeck coordinator --http-listen none

More about tokens and certificates: docs/guide/security.md")]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataDir,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, env = "FULLDECK_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:7411")]
    #[arg(value_parser = address)]
    listen: SocketAddr,
    /// Address of health, metrics and status by HTTP, or none [default: loopback, the port after that of --listen]
    #[arg(long, env = "FULLDECK_HTTP_LISTEN", value_name = "ADDRESS")]
    #[arg(value_parser = http_address)]
    http_listen: Option<HttpListen>,
    #[command(flatten)]
    network: Network,
    #[command(flatten)]
    tokens: Tokens,
    /// Which results are computed a second time: off, spot:1% (a share of the batches), quorum:2 (all, until so many are
    /// equal), or adaptive (less and less, the longer a host is right)
    #[arg(long, env = "FULLDECK_VALIDATE", value_name = "HOW", default_value = "spot:1%")]
    #[arg(value_parser = validation)]
    validate: Validation,
    /// Workers say so often that they live, in seconds
    #[arg(long, env = "FULLDECK_HEARTBEAT", value_name = "SECONDS", default_value = "3")]
    #[arg(value_parser = seconds)]
    heartbeat: Millis,
    /// What a worker has is given to others when nothing is heard of it for so long, in seconds; at least four heartbeats
    #[arg(long, env = "FULLDECK_LEASE", value_name = "SECONDS", default_value = "30")]
    #[arg(value_parser = seconds)]
    lease: Millis,
    #[command(flatten)]
    disk: DiskArgs,
    /// Log lines as JSON
    #[arg(long, env = "FULLDECK_LOG_JSON")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    log_json: bool,
}

/// Which results are computed a second time.
fn validation(text: &str) -> Result<Validation, String> {
    let share = |text: &str| -> Option<f64> {
        let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
        (percent > 0.0 && percent <= 100.0).then_some(percent / 100.0)
    };
    let quorum = |text: &str| text.parse().ok().filter(|equal| (2..=9).contains(equal));
    let found = match text.split_once(':') {
        None if text == "off" => Some(Validation::Off),
        None if text == "adaptive" => Some(Validation::Adaptive),
        Some(("spot", text)) => share(text).map(Validation::Spot),
        Some(("quorum", text)) => quorum(text).map(Validation::Quorum),
        _ => None,
    };
    found.ok_or_else(|| "off, spot:1%, quorum:2 (to 9) or adaptive is right".to_owned())
}

/// A time in seconds, with fractions.
fn seconds(text: &str) -> Result<Millis, String> {
    let time = text.parse().ok().filter(|seconds: &f64| (0.1..=3_600.0).contains(seconds));
    time.map(|seconds| Millis((seconds * 1_000.0) as u64))
        .ok_or_else(|| "seconds from 0.1 to 3600 are right".to_owned())
}

/// Certificates, and the name for others.
#[derive(Debug, Args)]
struct Network {
    /// Certificate to show, and those between it and its CA, PEM
    #[arg(long, env = "FULLDECK_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate, PEM
    #[arg(long, env = "FULLDECK_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// CA of the certificate, PEM: goes into the access files, for clients whose system does not trust it
    #[arg(long, env = "FULLDECK_TLS_CA", value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Make a certificate, by a CA that is kept in the data folder and goes into the access files
    #[arg(long, env = "FULLDECK_TLS_SELF_SIGNED", conflicts_with_all = ["tls_cert", "tls_ca"])]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    tls_self_signed: bool,
    /// CA of clients, PEM: each has to show a certificate of it, beside its token
    #[arg(long, env = "FULLDECK_TLS_CLIENT_CA", value_name = "FILE")]
    tls_client_ca: Option<PathBuf>,
    /// Name or address by which others reach the coordinator [default: that of --listen, or the host name]
    #[arg(long, env = "FULLDECK_ADVERTISE", value_name = "NAME", value_parser = host_name)]
    advertise: Option<String>,
    /// Listen where other machines can reach it although nothing is encrypted
    #[arg(long, env = "FULLDECK_INSECURE_PLAINTEXT")]
    #[arg(value_parser = BoolishValueParser::new(), action = ArgAction::SetTrue)]
    insecure_plaintext: bool,
}

/// Tokens that were agreed on before.
#[derive(Debug, Args)]
struct Tokens {
    /// File that holds the operator's token [default: the token of the access file, else a new one]
    #[arg(long, env = "FULLDECK_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// File that holds the workers' token
    #[arg(long, env = "FULLDECK_WORKER_TOKEN_FILE", value_name = "FILE")]
    worker_token_file: Option<PathBuf>,
    /// File that holds the readers' token
    #[arg(long, env = "FULLDECK_READER_TOKEN_FILE", value_name = "FILE")]
    reader_token_file: Option<PathBuf>,
}

/// Whether there is an HTTP side, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HttpListen {
    None,
    At(SocketAddr),
}

/// An address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "an IP address and a port are right, e.g. 127.0.0.1:7411".to_owned())
}

fn http_address(text: &str) -> Result<HttpListen, String> {
    match text {
        "none" => Ok(HttpListen::None),
        text => text.parse().map(HttpListen::At).map_err(|_| {
            "an IP address and a port, e.g. 127.0.0.1:7412, or 'none' are right".to_owned()
        }),
    }
}

/// A name or an address, without a port.
fn host_name(text: &str) -> Result<String, String> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    let is_address = bare.parse::<std::net::IpAddr>().is_ok();
    let letters = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let is_name = !text.is_empty() && text.len() <= 253 && text.chars().all(letters);
    match is_address || is_name {
        true => Ok(text.to_owned()),
        false => Err("a host name or an IP address without a port is right".to_owned()),
    }
}

impl Network {
    fn options(&self) -> NetworkOptions {
        let encryption = match (&self.tls_cert, &self.tls_key) {
            (Some(cert), Some(key)) => {
                Encryption::Files(ServerTlsFiles { cert: cert.clone(), key: key.clone() })
            }
            _ if self.tls_self_signed => Encryption::SelfSigned,
            _ => Encryption::None,
        };
        NetworkOptions {
            encryption,
            client_ca: self.tls_client_ca.clone(),
            ca: self.tls_ca.clone(),
            advertise: self.advertise.clone(),
            insecure_plaintext: self.insecure_plaintext,
        }
    }
}

impl Tokens {
    fn read(&self) -> Result<BTreeMap<Role, AccessToken>, CliError> {
        let files = [
            (Role::Operator, &self.token_file),
            (Role::Worker, &self.worker_token_file),
            (Role::Reader, &self.reader_token_file),
        ];
        let given = files.into_iter().filter_map(|(role, file)| Some((role, file.as_deref()?)));
        let read = |(role, file)| Ok((role, AccessToken::read_file(file)?));
        let tokens: BTreeMap<Role, AccessToken> =
            given.map(read).collect::<Result<_, CliError>>()?;
        let distinct = |one: &AccessToken| {
            tokens.values().filter(|other| other.matches(one.expose())).count() == 1
        };
        match tokens.values().all(distinct) {
            true => Ok(tokens),
            false => Err(CliError::usage("two roles have the same token")
                .hint("give each role a token file of its own")),
        }
    }
}

impl Arguments {
    fn timings(&self) -> Result<Timings, CliError> {
        if self.lease.0 < MIN_BEATS * self.heartbeat.0 {
            return Err(CliError::usage(format!(
                "a lease of {} s is too short for heartbeats every {} s; it holds at least {MIN_BEATS} of them",
                self.lease.seconds(),
                self.heartbeat.seconds()
            )));
        }
        Ok(Timings { heartbeat: self.heartbeat, lease: self.lease, ..Timings::default() })
    }

    pub(crate) fn log_format(&self) -> LogFormat {
        if self.log_json { LogFormat::Json } else { LogFormat::Text }
    }

    fn options(&self) -> Result<CoordinatorOptions, CliError> {
        let mut options = CoordinatorOptions::new(self.data.data_dir.clone(), self.listen);
        options.timings = self.timings()?;
        options.validation = self.validate;
        self.disk.apply(&mut options);
        options.network = self.network.options();
        if options.network.client_ca.is_some() && options.network.encryption == Encryption::None {
            return Err(CliError::usage(
                "--tls-client-ca asks for TLS, and there is no certificate",
            )
            .hint("add --tls-self-signed, or --tls-cert and --tls-key"));
        }
        options.tokens = self.tokens.read()?;
        options.http = match self.http_listen {
            Some(HttpListen::At(address)) => Some(address),
            Some(HttpListen::None) => None,
            None => Some(usual_http(self.listen)),
        };
        Ok(options)
    }
}

/// Loopback, and the port after that of the gRPC side, or a free one.
fn usual_http(listen: SocketAddr) -> SocketAddr {
    let port = if listen.port() == 0 { 0 } else { listen.port().checked_add(1).unwrap_or(0) };
    (Ipv4Addr::LOCALHOST, port).into()
}

/// Starts it. A port that nobody asked for may be taken by others: then another one does.
async fn start(arguments: &Arguments, app: &App) -> Result<Coordinator, CliError> {
    let mut options = arguments.options()?;
    let registry = app.registry.clone();
    match Coordinator::start(options.clone(), registry.clone()).await {
        Err(StartError::Listen { address, flag: "--http-listen", .. })
            if arguments.http_listen.is_none() =>
        {
            tracing::warn!("{address} is taken: HTTP listens on another port");
            options.http = Some((Ipv4Addr::LOCALHOST, 0).into());
            Ok(Coordinator::start(options, registry).await?)
        }
        started => Ok(started?),
    }
}

pub(crate) fn execute(arguments: &Arguments, app: &App) -> Result<u8, CliError> {
    arguments.data.check()?;
    app.block_on(async {
        let stop = StopSignal::install()
            .map_err(|error| CliError::unexpected(format!("cannot listen to signals: {error}")))?;
        let coordinator = start(arguments, app).await?;
        app.output.print(&Listening::of(&coordinator, arguments))?;
        let handle = coordinator.handle();
        loop {
            tokio::select! {
                () = stop.reached(StopLevel::Drain) => break,
                reason = handle.store_failed() => {
                    tracing::error!("nothing more is leased or stored: {reason}");
                }
            }
            // It still answers questions, and its workers wait until it goes on.
            tokio::select! {
                () = stop.reached(StopLevel::Drain) => break,
                () = handle.store_serves() => {}
            }
        }
        tokio::select! {
            ended = coordinator.shutdown() => ended?,
            () = stop.reached(StopLevel::Stop) => return Ok(stop.exit_code()),
        }
        Ok(exit::OK)
    })
}

struct Listening {
    url: String,
    http: Option<String>,
    access_file: PathBuf,
    worker_access_file: PathBuf,
}

impl Listening {
    fn of(coordinator: &Coordinator, arguments: &Arguments) -> Self {
        let encrypted = coordinator.access().is_encrypted();
        let url = |address: SocketAddr| {
            let scheme = if encrypted && !address.ip().is_loopback() { "https" } else { "http" };
            format!("{scheme}://{address}")
        };
        Self {
            url: coordinator.access().url.clone(),
            http: coordinator.http_address().map(url),
            access_file: arguments.data.access_file(),
            worker_access_file: arguments.data.access_file_of(Role::Worker),
        }
    }

    fn join(&self) -> String {
        format!("fulldeck worker --access {}", quoted(&self.worker_access_file.to_string_lossy()))
    }
}

impl Answer for Listening {
    fn json(&self) -> Map<String, Value> {
        object(json!({
            "url": self.url,
            "http": self.http,
            "access_file": self.access_file.display().to_string(),
            "join": self.join(),
        }))
    }

    fn ids(&self) -> Vec<String> {
        vec![self.url.clone()]
    }

    fn table(&self, style: Style) -> String {
        let mut lines = vec![("coordinator", self.url.clone()), ("join with", self.join())];
        if let Some(http) = &self.http {
            lines.push(("status page", format!("{http}/api/v1/runs, metrics at {http}/metrics")));
        }
        pairs(style, &lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_http_side_is_beside_the_other() {
        let usual = |text: &str| usual_http(text.parse().unwrap()).to_string();
        assert_eq!(usual("0.0.0.0:7411"), "127.0.0.1:7412");
        assert_eq!(usual("127.0.0.1:0"), "127.0.0.1:0");
        assert_eq!(usual("[::1]:65535"), "127.0.0.1:0");
        assert_eq!(http_address("none"), Ok(HttpListen::None));
        assert!(http_address("off").unwrap_err().contains("none"));
    }

    #[test]
    fn names_for_others_have_no_port() {
        for name in ["deck.example", "10.0.0.7", "::1", "[::1]"] {
            assert!(host_name(name).is_ok(), "{name}");
        }
        for name in ["", "h:1", "http://h", "a b"] {
            assert!(host_name(name).is_err(), "{name}");
        }
    }
}
