//! A real Slurm on this machine: its own daemons, several virtual nodes, everything below one folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::programs::program;
use crate::scene::Scene;
use crate::wait::until;

/// Programs without which there is no Slurm.
const NEEDED: [(&str, &str); 4] = [
    ("/usr/sbin/slurmctld", "slurmctld"),
    ("/usr/sbin/slurmd", "slurmd"),
    ("/usr/bin/sbatch", "slurm-client"),
    ("/usr/sbin/munged", "munge"),
];
/// What must not be skipped, separated by commas.
const REQUIRE: &str = "FULLDECK_REQUIRE";
/// Virtual nodes, of this many processors each.
const NODES: u32 = 4;

/// A running Slurm. Dropping it ends it.
#[derive(Debug)]
pub struct Slurm<'a> {
    scene: &'a Scene,
    folder: PathBuf,
    /// The number of our own `munged`; `None` if one was running.
    munged: Option<PathBuf>,
}

impl<'a> Slurm<'a> {
    /// Starts it; `None`, with a word why, where it is not installed or not wanted (`FULLDECK_REQUIRE` lacks `slurm`).
    ///
    /// # Panics
    /// If it is wanted but not installed, or does not come up.
    #[must_use]
    pub fn start(scene: &'a Scene) -> Option<Self> {
        let required = std::env::var(REQUIRE).unwrap_or_default();
        if !required.split(',').any(|name| name == "slurm") {
            eprintln!("skipped: a Slurm is started only if {REQUIRE} names slurm (.ci/run deploy)");
            return None;
        }
        for (path, package) in NEEDED {
            assert!(Path::new(path).exists(), "{path} is missing: install the package {package}");
        }
        let folder = scene.path("slurm");
        fs::create_dir_all(folder.join("state")).expect("a folder for Slurm");
        fs::write(folder.join("slurm.conf"), configuration(&folder)).expect("slurm.conf");
        let slurm = Self { scene, munged: munge(&folder), folder };
        slurm.run("/usr/sbin/slurmctld", &[]);
        for node in 1..=NODES {
            fs::create_dir(slurm.folder.join(format!("spool.n{node}"))).expect("a spool");
            slurm.run("/usr/sbin/slurmd", &["-N", &format!("n{node}")]);
        }
        until("idle nodes", || {
            let states = slurm.ask("sinfo", &["-h", "-N", "-o", "%T"]);
            (states.lines().filter(|state| *state == "idle").count() == NODES as usize)
                .then_some(())
        });
        Some(slurm)
    }

    /// A command that speaks to this Slurm and finds the programs under test.
    fn command(&self, program: &str, words: &[&str]) -> Command {
        let ours = self::program(crate::FULLDECK);
        let folder = ours.parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(self.scene.path("."))
            .env("SLURM_CONF", self.folder.join("slurm.conf"))
            .env("PATH", format!("{}:{path}", folder.display()))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, program: &str, words: &[&str]) -> Output {
        let output = self.command(program, words).output().expect(program);
        assert!(output.status.success(), "{program} {words:?}: {output:?}");
        output
    }

    /// What a command prints; empty if it fails.
    ///
    /// # Panics
    /// If there is no such command.
    pub fn ask(&self, program: &str, words: &[&str]) -> String {
        let output = self.command(program, words).output().expect(program);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Runs a program of `deploy/slurm` with these variables; what it prints.
    ///
    /// # Panics
    /// If it fails.
    #[track_caller]
    pub fn deployed(&self, name: &str, words: &[&str], variables: &[(&str, &str)]) -> String {
        let script = scripts().join(name);
        let mut command = self.command(script.to_str().expect("a path"), words);
        let output = command.envs(variables.iter().copied()).output().expect(name);
        assert!(output.status.success(), "{name} {words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Submits a script of `deploy/slurm`; the number of the job.
    ///
    /// # Panics
    /// If it is refused.
    #[track_caller]
    pub fn submit(&self, script: &str, words: &[&str], variables: &[(&str, &str)]) -> String {
        let script = scripts().join(script);
        let mut command = self.command("sbatch", &["--parsable"]);
        command.args(words).arg(&script).envs(variables.iter().copied());
        let output = command.output().expect("sbatch");
        assert!(output.status.success(), "{}: {output:?}", script.display());
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The states of what is left of a job; empty when it is over.
    #[must_use]
    pub fn states(&self, job: &str) -> Vec<String> {
        self.ask("squeue", &["-h", "-r", "-j", job, "-o", "%T"])
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Waits until nothing of a job is left.
    ///
    /// # Panics
    /// If that takes too long.
    #[track_caller]
    pub fn finished(&self, job: &str) {
        until(&format!("the end of job {job}"), || self.states(job).is_empty().then_some(()));
    }

    /// Everything the jobs wrote.
    #[must_use]
    pub fn logs(&self) -> String {
        let mut logs: Vec<_> = fs::read_dir(self.scene.path("."))
            .expect("the scene")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "log"))
            .collect();
        logs.sort();
        let text = |path: &PathBuf| {
            format!("---- {}\n{}", path.display(), fs::read_to_string(path).unwrap_or_default())
        };
        logs.iter().map(text).collect()
    }
}

impl Drop for Slurm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}\n{}", self.ask("squeue", &[]), self.logs());
        }
        self.ask("scancel", &["--full", "--signal=KILL", "--user=root"]);
        self.ask("scancel", &["--user=root"]);
        // The jobs' processes end before the daemons that would end them.
        for _ in 0..200 {
            if self.ask("squeue", &["-h"]).is_empty() {
                break;
            }
            std::thread::park_timeout(std::time::Duration::from_millis(50));
        }
        let pids = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let pids = pids.map(|entry| entry.path());
        let pids = pids.filter(|path| path.extension().is_some_and(|ending| ending == "pid"));
        for file in pids.chain(self.munged.clone()) {
            let number = fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok());
            if let Some(pid) = number.and_then(Pid::from_raw) {
                // It may have ended by itself.
                let _ = kill_process(pid, Signal::TERM);
            }
        }
    }
}

/// The folder with the scripts.
fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/slurm").canonicalize().expect("scripts")
}

/// Starts the authentication daemon unless one runs; where its number is.
fn munge(folder: &Path) -> Option<PathBuf> {
    if Command::new("munge").arg("-n").output().is_ok_and(|output| output.status.success()) {
        return None;
    }
    let run = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).output().expect(program);
        assert!(output.status.success(), "{program}: {output:?}");
    };
    run("install", &["-d", "-o", "munge", "-g", "munge", "-m", "755", "/run/munge"]);
    run("runuser", &["-u", "munge", "--", "/usr/sbin/munged"]);
    let _ = folder;
    Some(PathBuf::from("/run/munge/munged.pid"))
}

fn configuration(folder: &Path) -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host = host.split('.').next().unwrap_or_default().to_owned();
    let d = folder.display();
    // Numbers of ports that are free with high probability, so that several stories may run.
    let port = 20_000 + std::process::id() % 20_000;
    format!(
        "ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=1000
SlurmctldPort={port}
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool.%n
SlurmctldPidFile={d}/ctld.pid
SlurmdPidFile={d}/slurmd.%n.pid
SlurmctldLogFile={d}/ctld.out
SlurmdLogFile={d}/slurmd.%n.out
SlurmdParameters=config_overrides
SlurmdTimeout=8
KillWait=5
ReturnToService=2
NodeName=n[1-{NODES}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{}-{}] CPUs=2 RealMemory=2000
PartitionName=batch Nodes=ALL Default=YES State=UP
",
        port + 1,
        port + NODES,
    )
}
