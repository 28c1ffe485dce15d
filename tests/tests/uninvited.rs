//! Who is kept out, by which exit code and in which words: tokens, roles, certificates, and what is encrypted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use fulldeck_tests::{
    Answer, Cluster, FULLDECK, HOLDEM, HOLDEM_DIGEST, Process, Scene, WORKER, until,
};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};

/// A CA, made for one story.
struct Ca {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Ca {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("a CA").pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Writes `<file>.pem` and `<file>-key.pem`: a certificate for this address until the end of a year.
    fn issue(&self, scene: &Scene, file: &str, address: &str, year: i32) {
        let mut params = CertificateParams::new(vec![address.to_owned()]).expect("a name");
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(year, 12, 31);
        let key = KeyPair::generate().expect("a key");
        let cert = params.signed_by(&key, &self.issuer).expect("a certificate");
        scene.secret(&format!("{file}.pem"), &cert.pem());
        scene.secret(&format!("{file}-key.pem"), &key.serialize_pem());
    }
}

/// The address of a coordinator, with another scheme.
fn url(cluster: &mut Cluster<'_>, scheme: &str) -> String {
    let joining = cluster.await_listening();
    let (_, rest) = joining["url"].as_str().expect("a url").split_once("://").expect("a scheme");
    format!("{scheme}://{rest}")
}

fn token(scene: &Scene, file: &str) -> String {
    let text = fs::read_to_string(scene.path(&format!("data/{file}"))).expect("an access file");
    text.split('"').find(|part| part.len() == 64).expect("a token").to_owned()
}

fn one_line(answer: &Answer) {
    assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
}

#[test]
fn each_role_is_refused_what_is_not_its_own() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    for role in ["reader", "worker"] {
        let access = format!("--access data/access-{role}.toml");
        assert_eq!(scene.json(&format!("status {access}"))["runs"], serde_json::json!([]));
        let refused = scene.fulldeck(&format!("submit {HOLDEM} {access}")).expect(2);
        let sentence = format!("the {role} token does not allow Submit");
        refused.says(&[&sentence, "use the operator's access file, access.toml"]);
        one_line(&refused);
    }
    let words = "--access data/access-reader.toml --reconnect-for 3";
    for (program, words) in [(WORKER, words.to_owned()), (FULLDECK, format!("worker {words}"))] {
        let refused = scene.answer(program, &words).expect(2);
        refused.says(&["the reader token does not allow Register", "access-worker.toml"]);
    }
    assert_eq!(cluster.json("status")["runs"], serde_json::json!([]));
    // Several refusals of one address, one line.
    let log = cluster.coordinator().stderr();
    assert_eq!(log.lines().filter(|line| line.contains("refused: ")).count(), 1, "{log}");
}

#[test]
fn a_replaced_token_opens_nothing_and_the_new_one_does() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    let follower = cluster.worker("follower", "");
    until("a worker", || (cluster.json("workers")["workers"].as_array()?.len() == 1).then_some(()));
    let old = token(&scene, "access-worker.toml");
    fs::copy(scene.path("data/access-worker.toml"), scene.path("copy.toml")).expect("a copy");
    let rotated = cluster.json("token rotate worker");
    assert_eq!((&rotated["role"], &rotated["in_force"]), (&"worker".into(), &true.into()));
    assert_ne!(token(&scene, "access-worker.toml"), old);
    let refused = scene.answer(WORKER, "--access copy.toml --reconnect-for 3").expect(2);
    refused.says(&["the token is not this coordinator's"]);
    // Who reads the file itself finds back.
    cluster.fulldeck(&format!("submit {HOLDEM}")).expect(0);
    cluster.fulldeck("wait last").expect(0);
    drop(follower);
    // A coordinator that does not run takes it over as well; an old one does not come back.
    cluster.coordinator().kill();
    let rotated = cluster.json("token rotate operator");
    assert_eq!(rotated["in_force"], serde_json::Value::Null);
    cluster.relaunch();
    cluster.await_listening();
    assert!(cluster.json("status")["runs"].is_array());
    scene.fulldeck("token rotate worker --data-dir nowhere").expect(3).says(&["nowhere"]);
    scene.fulldeck("token rotate admin").expect(2).says(&["reader, worker or operator"]);
}

#[test]
fn a_run_over_tls_with_a_certificate_of_its_own_making() {
    let scene = Scene::new();
    let mut cluster = Cluster::start_with(&scene, "--validate off --tls-self-signed");
    let encrypted = url(&mut cluster, "https");
    assert_eq!(cluster.await_listening()["url"], *encrypted);
    for (name, mode) in [("tls", 0o700), ("tls/ca-key.pem", 0o600), ("tokens.toml", 0o600)] {
        let metadata = fs::metadata(cluster.data().join(name)).expect("a file of secrets");
        assert_eq!(metadata.permissions().mode() & 0o777, mode, "{name}");
    }
    let _worker = cluster.worker("one", "");
    cluster.fulldeck(&format!("submit {HOLDEM}")).expect(0);
    cluster.fulldeck("wait last").expect(0);
    let merged = cluster.json("merge last");
    assert_eq!(merged["artifact_digest"], HOLDEM_DIGEST);
    cluster.fulldeck("probe ready").expect(0);
    // The CA outlives the coordinator: an access file stays good. The address may be another one.
    let ca = |scene: &Scene| {
        let text = fs::read_to_string(scene.path("data/access.toml")).expect("an access file");
        text.split_once("-----BEGIN").expect("a CA").1.to_owned()
    };
    let before = ca(&scene);
    cluster.relaunch();
    cluster.await_listening();
    assert_eq!(ca(&scene), before);
    cluster.fulldeck("status").expect(0);
}

/// Runs a command and both workers against an address; all have to end with this code and say this.
fn refused_everywhere(scene: &Scene, words: &str, code: i32, parts: &[&str]) {
    let status = scene.fulldeck(&format!("status {words}")).expect(code);
    status.says(parts);
    one_line(&status);
    let words = format!("{words} --reconnect-for 5");
    for (program, words) in [(WORKER, words.clone()), (FULLDECK, format!("worker {words}"))] {
        scene.answer(program, &words).expect(code).says(parts);
    }
}

#[test]
fn plain_and_encrypted_do_not_mix_and_the_way_out_is_said() {
    let scene = Scene::new();
    let mut cluster = Cluster::start_with(&scene, "--validate off --tls-self-signed");
    scene.secret("token", &token(&scene, "access.toml"));
    let plain = format!("--coordinator {} --token-file token", url(&mut cluster, "http"));
    refused_everywhere(&scene, &plain, 7, &["speaks TLS", "https://"]);
    drop(cluster);

    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    scene.secret("token", &token(&scene, "access.toml"));
    let encrypted = format!("--coordinator {} --token-file token", url(&mut cluster, "https"));
    refused_everywhere(&scene, &encrypted, 7, &["does not speak TLS", "http://"]);
}

#[test]
fn foreign_expired_and_misnamed_certificates_are_not_believed() {
    let scene = Scene::new();
    let (ours, other) = (Ca::new("ours"), Ca::new("other"));
    fs::write(scene.path("ours.pem"), &ours.pem).expect("a CA");
    fs::write(scene.path("other.pem"), &other.pem).expect("a CA");
    ours.issue(&scene, "good", "127.0.0.1", 2100);
    ours.issue(&scene, "old", "127.0.0.1", 2021);
    ours.issue(&scene, "misnamed", "127.0.0.9", 2100);
    let tls =
        |name: &str| format!("--tls-cert {name}.pem --tls-key {name}-key.pem --tls-ca ours.pem");
    for (name, more, parts) in [
        ("good", " --tls-ca other.pem", &["does not come from a CA", "--tls-ca"][..]),
        ("old", "", &["has expired"]),
        ("misnamed", "", &["other names", "127.0.0.9"]),
    ] {
        let mut cluster = Cluster::start_with(&scene, &tls(name));
        let words = format!("--access data/access.toml{more}");
        refused_everywhere(&scene, &words, 7, parts);
        if name == "good" {
            scene.fulldeck("status --access data/access.toml").expect(0);
        }
        cluster.coordinator().kill();
    }
}

#[test]
fn with_a_ca_of_clients_a_certificate_is_needed_beside_the_token() {
    let scene = Scene::new();
    let (ours, other) = (Ca::new("ours"), Ca::new("other"));
    fs::write(scene.path("ours.pem"), &ours.pem).expect("a CA");
    ours.issue(&scene, "node", "node", 2100);
    ours.issue(&scene, "old", "node", 2021);
    other.issue(&scene, "foreign", "node", 2100);
    let _cluster = Cluster::start_with(&scene, "--tls-self-signed --tls-client-ca ours.pem");
    let with = |name: &str| {
        let access = "--access data/access.toml";
        format!("{access} --tls-client-cert {name}.pem --tls-client-key {name}-key.pem")
    };
    scene.fulldeck(&format!("status {}", with("node"))).expect(0);
    scene.fulldeck(&format!("probe live {}", with("node"))).expect(0);
    let none = "--access data/access.toml";
    refused_everywhere(&scene, none, 2, &["asks for a client certificate", "--tls-client-cert"]);
    refused_everywhere(&scene, &with("foreign"), 2, &["refuses the client certificate"]);
    refused_everywhere(&scene, &with("old"), 2, &["refuses the client certificate", "expired"]);
}

#[test]
fn a_coordinator_with_bad_files_does_not_begin() {
    let scene = Scene::new();
    let ca = Ca::new("ours");
    fs::write(scene.path("ca.pem"), &ca.pem).expect("a CA");
    ca.issue(&scene, "one", "127.0.0.1", 2100);
    ca.issue(&scene, "two", "127.0.0.1", 2100);
    scene.secret("token", &"ab".repeat(32));
    for (words, part) in [
        ("--tls-cert one.pem --tls-key two-key.pem", "cannot be used together"),
        ("--tls-cert nowhere.pem --tls-key one-key.pem", "nowhere.pem"),
        ("--tls-cert one.pem --tls-key one.pem", "no private key"),
        ("--tls-cert one.pem", "--tls-key"),
        ("--tls-self-signed --tls-cert one.pem --tls-key one-key.pem", "cannot be used with"),
        ("--tls-client-ca ca.pem", "--tls-self-signed"),
        ("--tls-self-signed --tls-client-ca one-key.pem", "no certificate"),
        ("--advertise http://x:1", "without a port"),
        ("--http-listen 0.0.0.0:0", "--http-listen"),
        ("--token-file token --worker-token-file token", "same token"),
    ] {
        let words = format!("coordinator --listen 127.0.0.1:0 --data-dir new {words}");
        let refused = scene.fulldeck(&words).expect(2);
        refused.says(&[part]);
        one_line(&refused);
        assert!(!scene.path("new").exists(), "{words} left something");
    }
}

#[test]
fn files_that_others_can_read_are_warned_about() {
    let scene = Scene::new();
    let cluster = Cluster::start(&scene);
    let access = cluster.data().join("access.toml");
    assert_eq!(cluster.fulldeck("status").expect(0).stderr, "");
    fs::set_permissions(&access, fs::Permissions::from_mode(0o644)).expect("a mode");
    let warned = cluster.fulldeck("status").expect(0);
    warned.says(&["others can read", "access.toml", "chmod 600"]);
    one_line(&warned);
}

#[test]
fn probes_answer_by_exit_code() {
    let scene = Scene::new();
    scene.fulldeck("probe live --data-dir data").expect(7);
    let mut cluster = Cluster::start(&scene);
    cluster.fulldeck("probe live").expect(0);
    assert_eq!(cluster.json("probe ready")["ready"], true);
    cluster.coordinator().kill();
    one_line(&cluster.fulldeck("probe live").expect(7));
}

#[test]
fn no_secret_shows_anywhere() {
    let scene = Scene::new();
    let mut cluster = Cluster::start_with(&scene, "--validate off --tls-self-signed -vv");
    let mut worker = cluster.worker("one", "-vv");
    cluster.fulldeck(&format!("submit {HOLDEM}")).expect(0);
    cluster.fulldeck("wait last").expect(0);
    cluster.fulldeck("token rotate reader").expect(0);
    let secrets: Vec<_> = ["access.toml", "access-worker.toml", "access-reader.toml"]
        .iter()
        .map(|file| token(&scene, file))
        .chain([key_line(&fs::read_to_string(scene.path("data/tls/ca-key.pem")).expect("a key"))])
        .collect();
    let mut said =
        vec![("hashes", fs::read_to_string(scene.path("data/tokens.toml")).expect("hashes"))];
    for words in ["doctor", "status -vv", "workers -o json", "probe ready"] {
        let answer = cluster.fulldeck(words).expect(0);
        said.push((words, answer.stdout + &answer.stderr));
    }
    let mut log = |name, process: &mut Process| {
        let line = fs::read(format!("/proc/{}/cmdline", process.id())).expect("a command line");
        let line = String::from_utf8_lossy(&line).into_owned();
        said.push((name, process.stdout() + &process.stderr() + &line));
    };
    log("coordinator", cluster.coordinator());
    log("worker", &mut worker);
    for (who, text) in said {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "a secret shows in {who}");
        }
    }
}

/// A line of a key that stands in no other file.
fn key_line(pem: &str) -> String {
    pem.lines().nth(1).expect("a line of a key").to_owned()
}
