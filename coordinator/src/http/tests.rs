//! Over a real socket, as curl would see it.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;

use fulldeck_job::Registry;
use fulldeck_service::{Access, Role};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::store::{MemoryDisk, MemoryStore};
use crate::{Coordinator, CoordinatorOptions};

struct Page {
    code: u16,
    body: String,
}

impl Page {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Asks as a client that speaks HTTP/1.1 and sends these further lines.
async fn get(address: SocketAddr, path: &str, more: &str) -> Page {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let host = if more.contains("host:") { String::new() } else { format!("host: {address}\r\n") };
    let request = format!("GET {path} HTTP/1.1\r\n{host}{more}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let code = head.split(' ').nth(1).unwrap().parse().unwrap();
    Page { code, body: body.to_owned() }
}

struct Site {
    coordinator: Coordinator,
    folder: tempfile::TempDir,
    disk: MemoryDisk,
}

impl Site {
    async fn new(http: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = MemoryDisk::new([8; 16]);
        let mut options =
            CoordinatorOptions::new(folder.path().to_owned(), ([127, 0, 0, 1], 0).into());
        options.http = Some(http.parse().unwrap());
        options.network.insecure_plaintext = true;
        let store = Box::new(MemoryStore::open(&disk).unwrap());
        let registry: Registry = crate::rpc::squares_registry();
        let coordinator = Coordinator::start_on(options, registry, store).await.unwrap();
        Self { coordinator, folder, disk }
    }

    fn address(&self) -> SocketAddr {
        let mut address = self.coordinator.http_address().unwrap();
        address.set_ip([127, 0, 0, 1].into());
        address
    }

    async fn get(&self, path: &str) -> Page {
        get(self.address(), path, "").await
    }

    fn bearer(&self, role: Role) -> String {
        let access = Access::read(&self.folder.path().join(role.access_file())).unwrap();
        format!("authorization: Bearer {}\r\n", access.token.expose())
    }
}

#[tokio::test]
async fn runs_and_workers_are_shown_as_status_prints_them() {
    let site = Site::new("127.0.0.1:0").await;
    assert_eq!(site.get("/api/v1/runs").await.json()["runs"], Value::Array(Vec::new()));
    site.coordinator.handle().submit("squares", &[], 0).await.unwrap();
    let run = site.get("/api/v1/runs/last").await.json();
    assert_eq!(
        (&run["schema"], &run["run"], &run["state"]),
        (&1.into(), &1.into(), &"queued".into())
    );
    let all = site.get("/api/v1/runs").await.json();
    assert_eq!(all["runs"][0]["fingerprint"], run["fingerprint"]);
    assert_eq!(site.get("/api/v1/workers").await.json()["workers"], Value::Array(Vec::new()));
    let missing = site.get("/api/v1/runs/77").await;
    assert_eq!((missing.code, &missing.json()["error"]["kind"]), (404, &"not_found".into()));
    assert_eq!(site.get("/nothing").await.code, 404);
    let mut post = TcpStream::connect(site.address()).await.unwrap();
    post.write_all(b"POST /api/v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();
    let mut answer = [0; 12];
    post.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 405");
}

#[tokio::test]
async fn beyond_loopback_a_token_is_needed_for_all_but_health() {
    let site = Site::new("0.0.0.0:0").await;
    let address = site.address();
    for path in ["/metrics", "/api/v1/runs", "/api/v1/runs/last", "/api/v1/workers"] {
        assert_eq!(get(address, path, "").await.code, 401, "{path}");
        let wrong = format!("authorization: Bearer {}\r\n", "0".repeat(64));
        assert_eq!(get(address, path, &wrong).await.code, 401, "{path}");
        for role in Role::ALL {
            assert_ne!(get(address, path, &site.bearer(role)).await.code, 401, "{path}");
        }
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(address, path, "").await.code, 200, "{path}");
    }
    site.disk.set_full(true);
    let handle = site.coordinator.handle();
    let _ = handle.submit("squares", &[], 0).await;
    let reason = handle.store_failed().await;
    let stranger = get(address, "/readyz", "").await;
    assert_eq!((stranger.code, &stranger.body[..]), (503, "not ready\n"));
    let reader = get(address, "/readyz", &site.bearer(Role::Reader)).await;
    assert_eq!(reader.code, 503);
    assert!(reader.body.contains(&reason), "{}", reader.body);
    assert_eq!(get(address, "/healthz", "").await.code, 200);
}

#[tokio::test]
async fn a_browser_that_was_led_to_loopback_sees_nothing() {
    let site = Site::new("127.0.0.1:0").await;
    for (host, code) in [
        ("evil.example", 403),
        ("evil.example:80", 403),
        ("localhost:1", 200),
        ("127.0.0.1", 200),
        ("[::1]:1", 200),
        ("@", 403),
    ] {
        let page = get(site.address(), "/api/v1/runs", &format!("host: {host}\r\n")).await;
        assert_eq!(page.code, code, "{host}");
    }
}

#[tokio::test]
async fn too_large_and_malformed_requests_harm_nobody() {
    let site = Site::new("127.0.0.1:0").await;
    for bytes in [vec![0xff; 1000], vec![b'A'; 100_000], b"GET / HTTP/9\r\n\r\n".to_vec()] {
        let mut stream = TcpStream::connect(site.address()).await.unwrap();
        let _ = stream.write_all(&bytes).await;
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert_eq!(site.get("/healthz").await.code, 200);
    }
    let large = format!("x: {}\r\n", "x".repeat(20 << 10));
    assert!(get(site.address(), "/healthz", &large).await.code >= 400);
}

/// The names between back-quotes at the beginning of the table's lines.
fn documented() -> BTreeSet<String> {
    include_str!("../../../docs/guide/metrics.md")
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(['`', '{']).next())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn the_guide_lists_every_metric_and_no_other() {
    let site = Site::new("127.0.0.1:0").await;
    site.coordinator.handle().submit("squares", &[], 0).await.unwrap();
    let text = site.get("/metrics").await.body;
    assert!(text.contains("fulldeck_slices{run=\"1\",state=\"waiting\"} 16"), "{text}");
    let told: BTreeSet<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .map(|line| {
            let (name, kind) = line.split_once(' ').unwrap();
            match kind {
                "counter" => format!("{name}_total"),
                "info" => format!("{name}_info"),
                _ => name.to_owned(),
            }
        })
        .collect();
    assert_eq!(told, documented());
    for role in Role::ALL {
        let path = site.folder.path().join(role.access_file());
        let token = Access::read(&path).unwrap().token;
        assert!(!text.contains(token.expose()));
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
