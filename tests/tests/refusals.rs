//! What the programs refuse: by which exit code, in which words, and that nothing is created or lost by it.
//!
//! A worker with another algorithm version or protocol than its coordinator cannot be had from the real programs:
//! `worker/tests/session.rs` has these stories.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use fulldeck_tests::{Cluster, FULLDECK, HOLDEM, Scene, WORKER, until};

#[test]
fn a_folder_in_use_is_refused_and_its_holder_named() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    let access = fs::read(scene.path("data/access.toml")).expect("an access file");
    let holder = format!("in use by process {} on ", cluster.coordinator().id());
    let words = "coordinator --data-dir data --listen 127.0.0.1:0 -o json";
    // Each of them waits some seconds for the lock: they do so at the same time.
    let mut second = scene.start(FULLDECK, words);
    let mut run = scene.start(FULLDECK, &format!("run {HOLDEM} --data-dir data"));
    assert_eq!(second.code(), 2);
    assert_eq!(second.stdout(), "");
    assert!(second.stderr().contains(&holder), "{}", second.stderr());
    assert_eq!(run.code(), 2);
    for part in [&holder, "fulldeck submit"] {
        assert!(run.stderr().contains(part), "{}", run.stderr());
    }
    // The first one did not notice.
    assert!(cluster.coordinator().runs());
    assert_eq!(fs::read(scene.path("data/access.toml")).expect("an access file"), access);
    assert_eq!(cluster.json("status")["runs"], serde_json::json!([]));
}

#[test]
fn a_run_that_is_refused_leaves_nothing() {
    let scene = Scene::new();
    for words in [
        "run omaha -p cards=2 --only nope",
        "run omaha -p cards=7",
        "run omaha -p cards=2 --slices 1000001",
        "coordinator --token-file nowhere --listen 127.0.0.1:0",
    ] {
        scene.fulldeck(&format!("{words} --data-dir new/data")).expect(2);
        assert!(!scene.path("new").exists(), "{words} left something");
    }
}

/// Answers every connection as a web server does that speaks no HTTP/2.
fn web_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            // Who asked may have gone.
            let _ = connection.read(&mut [0; 1024]);
            let _ = connection.write_all(
                b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            );
        }
    });
    port
}

#[test]
fn what_listens_but_is_no_coordinator_is_unreachable() {
    let scene = Scene::new();
    scene.secret("token", &"0123456789abcdef".repeat(4));
    let url = format!("http://127.0.0.1:{}", web_server());
    for words in ["status", "workers", "submit omaha"] {
        let words = format!("{words} --coordinator {url} --token-file token");
        let answer = scene.fulldeck(&words).expect(7);
        answer.says(&[&url, "does not answer as a fulldeck coordinator"]);
        assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
    }
}

#[test]
fn a_worker_waits_quietly_for_an_access_file_and_not_for_one_that_cannot_come() {
    let scene = Scene::new();
    fs::write(scene.path("file"), "no folder").expect("a file");
    fs::create_dir(scene.path("folder")).expect("a folder");
    for (program, verb) in [(WORKER, ""), (FULLDECK, "worker ")] {
        let words = |access: &str| format!("{verb}--access {access} --reconnect-for 3");
        let waited = scene.answer(program, &words("nowhere/access.toml")).expect(7);
        let warnings = waited.stderr.lines().filter(|line| line.contains("WARN")).count();
        assert_eq!(warnings, 1, "{}", waited.stderr);
        waited.says(&["nowhere/access.toml", "the coordinator writes it"]);
        for never in ["file/access.toml", "folder"] {
            let refused = scene.answer(program, &words(never)).expect(2);
            refused.says(&[never]);
            assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
        }
    }
}

#[test]
fn both_programs_refuse_wrong_words_in_one_line() {
    let scene = Scene::new();
    for (words, part) in [
        ("", "--access"),
        ("--frobnicate", "'--frobnicate'"),
        ("--access a --threads many", "a whole number from 1 to"),
        ("--access a --drain-window x", "a whole number is needed"),
        ("--access a --cpu abacus", "abacus"),
    ] {
        let answer = scene.answer(WORKER, words).expect(2);
        answer.says(&[part]);
        assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
        assert!(answer.stderr.starts_with("error: "), "{answer:?}");
    }
    assert!(scene.answer(WORKER, "--help").expect(0).stdout.contains("Examples:"));
}

#[test]
fn a_killed_coordinator_holds_nothing() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    cluster.relaunch();
    cluster.await_listening();
    assert_eq!(cluster.json("status")["runs"], serde_json::json!([]));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let scene = Scene::new();
    fs::write(scene.path("file"), "no folder").expect("a file");
    for (data, reason) in
        [("file/data", "Not a directory"), ("/proc/fulldeck-data", "No such file")]
    {
        for words in ["coordinator --listen 127.0.0.1:0", "run omaha -p cards=2"] {
            let answer = scene.fulldeck(&format!("{words} --data-dir {data}")).expect(2);
            answer.says(&[data, reason]);
            assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
        }
    }
    assert_eq!(fs::read_to_string(scene.path("file")).expect("a file"), "no folder");
}

/// Replaces a line of a text file of a data folder; its checksum fits if `sealed`.
fn forge(scene: &Scene, line: &str, by: &str, sealed: bool) {
    let path = scene.path("fulldeck-data/STORE");
    let text = fs::read_to_string(&path).expect("a STORE");
    let (lines, checksum) = text.split_at(text.find("checksum").expect("a checksum"));
    let forged = lines.replace(line, by);
    assert_ne!(lines, forged);
    let checksum = match sealed {
        true => format!("checksum {:08x}\n", crc32c::crc32c(forged.as_bytes())),
        false => checksum.to_owned(),
    };
    fs::write(&path, forged + &checksum).expect("a STORE");
}

#[test]
fn a_store_of_another_format_is_a_conflict_and_a_broken_one_is_damage() {
    let scene = Scene::new();
    let started =
        scene.start(FULLDECK, "coordinator --data-dir fulldeck-data --listen 127.0.0.1:0 -o json");
    until("a store", || (!started.stdout().is_empty()).then_some(()));
    drop(started);
    let commands = ["coordinator --listen 127.0.0.1:0", "run omaha -p cards=2", "status"];
    forge(&scene, "format 1", "format 7", true);
    for words in commands {
        scene.fulldeck(words).expect(8).says(&["STORE", "7", "1"]);
    }
    forge(&scene, "format 7", "format 1", false);
    for words in commands {
        scene.fulldeck(words).expect(9).says(&["STORE", "damaged"]);
    }
    // What was there before is there again.
    forge(&scene, "format 1", "format 2", false);
    forge(&scene, "format 2", "format 1", true);
    assert_eq!(scene.json("status")["runs"], serde_json::json!([]));
}

#[test]
fn a_wrong_token_is_refused_and_never_shown() {
    let scene = Scene::new();
    let mut cluster = Cluster::start(&scene);
    let url = cluster.await_listening()["url"].as_str().expect("a url").to_owned();
    let wrong = "0123456789abcdef".repeat(4);
    scene.secret("token", &wrong);
    let where_ = format!("--coordinator {url} --token-file token");
    let worker = scene.answer(WORKER, &where_).expect(2);
    worker.says(&["refuses this worker", &url]);
    let other = scene.fulldeck(&format!("worker {where_}")).expect(2);
    other.says(&["refuses this worker", &url]);
    let asking = scene.fulldeck(&format!("status {where_}")).expect(2);
    let right = fs::read_to_string(scene.path("data/access.toml")).expect("an access file");
    let right = right.split('"').find(|part| part.len() == 64).expect("a token");
    for answer in [worker, other, asking] {
        let said = answer.stdout + &answer.stderr;
        assert!(!said.contains(&wrong) && !said.contains(right), "a token was shown");
    }
    let said = cluster.coordinator().stdout() + &cluster.coordinator().stderr();
    assert!(!said.contains(&wrong) && !said.contains(right), "a token was shown");
}

#[test]
fn nobody_listening_is_unreachable() {
    let scene = Scene::new();
    scene.secret("token", &"0123456789abcdef".repeat(4));
    // A port that was just free: nobody listens there.
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|at| at.local_addr()).expect("a port").port();
    let url = format!("http://127.0.0.1:{port}");
    let where_ = format!("--coordinator {url} --token-file token");
    for (program, words) in [(WORKER, String::new()), (FULLDECK, "worker ".to_owned())] {
        let words = format!("{words}{where_} --reconnect-for 1");
        scene.answer(program, &words).expect(7).says(&["no coordinator for 1", &url]);
    }
    for words in ["status", "workers", "wait 1", "submit omaha", "merge 1"] {
        scene.fulldeck(&format!("{words} {where_}")).expect(7).says(&[&url]);
    }
    let missing = scene.answer(WORKER, "--access nowhere.toml --reconnect-for 1").expect(7);
    missing.says(&["nowhere.toml"]);
}

#[test]
fn an_address_that_is_taken_or_public_is_refused() {
    let scene = Scene::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let busy = scene.fulldeck(&format!("coordinator --data-dir data --listen {address}")).expect(2);
    busy.says(&[&address.to_string(), "--listen"]);
    let public = scene.fulldeck("coordinator --data-dir data --listen 0.0.0.0:0").expect(2);
    public.says(&["--insecure-plaintext"]);
    assert!(!scene.path("data").exists(), "a folder was made");
    // A folder that was there before is left as it was, and is free for one that can listen.
    drop(Cluster::start(&scene));
    let before = fs::read_dir(scene.path("data")).expect("a folder").count();
    let busy = scene.fulldeck(&format!("coordinator --data-dir data --listen {address}"));
    busy.expect(2);
    assert_eq!(fs::read_dir(scene.path("data")).expect("a folder").count(), before);
    Cluster::start(&scene).coordinator().terminate();
}
