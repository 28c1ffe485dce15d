//! The one table of calls: who may make each, and how long it may take.

use std::time::Duration;

use fulldeck_service::Role;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Calls that are answered at once.
const SHORT: Duration = seconds(10);
/// A worker sends the next one soon after.
const BEAT: Duration = seconds(5);
/// The longest wait for work, and ten seconds.
const LEASE: Duration = seconds(30);
/// A minute, and a second for each MiB of the largest result.
const UPLOAD: Duration = seconds(60 + 64);
/// Questions of a person.
const ANSWER: Duration = seconds(30);
/// The largest artifacts are terabytes.
const MERGE: Duration = seconds(24 * 3600);
/// Streams that last as long as somebody listens.
const WATCH: Duration = seconds(24 * 3600);

const _: () = assert!(fulldeck_job::MAX_RESULT_BYTES <= 64 << 20);

/// What a call asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Path of the call: `/service/method`.
    pub(crate) path: &'static str,
    /// Least role; `None` where no token is needed.
    pub(crate) needs: Option<Role>,
    /// Longest time until it is answered; callers may ask for less.
    pub(crate) deadline: Duration,
}

const fn rule(path: &'static str, needs: Role, deadline: Duration) -> Rule {
    Rule { path, needs: Some(needs), deadline }
}

/// Every call there is. A test fails when one of the protocol files is missing.
pub(crate) const CALLS: &[Rule] = &[
    rule("/fulldeck.v1.WorkerService/Register", Role::Worker, SHORT),
    rule("/fulldeck.v1.WorkerService/Lease", Role::Worker, LEASE),
    rule("/fulldeck.v1.WorkerService/GetRunSpec", Role::Worker, SHORT),
    rule("/fulldeck.v1.WorkerService/Heartbeat", Role::Worker, BEAT),
    rule("/fulldeck.v1.WorkerService/UploadResult", Role::Worker, UPLOAD),
    rule("/fulldeck.v1.WorkerService/ReportFailure", Role::Worker, SHORT),
    rule("/fulldeck.v1.WorkerService/Release", Role::Worker, SHORT),
    rule("/fulldeck.v1.WorkerService/Deregister", Role::Worker, SHORT),
    rule("/fulldeck.v1.AdminService/Submit", Role::Operator, ANSWER),
    rule("/fulldeck.v1.AdminService/ListRuns", Role::Reader, ANSWER),
    rule("/fulldeck.v1.AdminService/GetRun", Role::Reader, ANSWER),
    rule("/fulldeck.v1.AdminService/ListWorkers", Role::Reader, ANSWER),
    rule("/fulldeck.v1.AdminService/Merge", Role::Operator, MERGE),
    rule("/fulldeck.v1.AdminService/ControlRun", Role::Operator, ANSWER),
    rule("/fulldeck.v1.AdminService/RetrySlices", Role::Operator, ANSWER),
    rule("/fulldeck.v1.AdminService/Explain", Role::Reader, ANSWER),
    rule("/fulldeck.v1.AdminService/DrainWorker", Role::Operator, ANSWER),
    rule("/fulldeck.v1.AdminService/QuarantineHost", Role::Operator, ANSWER),
    rule("/fulldeck.v1.AdminService/ReleaseHost", Role::Operator, ANSWER),
    rule("/fulldeck.v1.AdminService/WatchRun", Role::Reader, WATCH),
    rule("/fulldeck.v1.AdminService/Query", Role::Reader, ANSWER),
    rule("/fulldeck.v1.AdminService/ImportResult", Role::Operator, UPLOAD),
    rule("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Role::Reader, WATCH),
    Rule { path: "/grpc.health.v1.Health/Check", needs: None, deadline: SHORT },
    Rule { path: "/grpc.health.v1.Health/List", needs: None, deadline: SHORT },
    Rule { path: "/grpc.health.v1.Health/Watch", needs: None, deadline: WATCH },
];

/// The rule of a call. One that does not exist needs a token like the least of them, so that strangers learn nothing.
pub(crate) fn rule_of(path: &str) -> Rule {
    let known = CALLS.iter().find(|rule| rule.path == path);
    known.copied().unwrap_or(rule("", Role::Reader, SHORT))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fulldeck_proto::v1::DESCRIPTORS;
    use prost::Message as _;
    use prost_types::FileDescriptorSet;

    use super::*;

    #[test]
    fn every_call_of_the_protocol_has_its_rule_and_no_other_has() {
        let files = FileDescriptorSet::decode(DESCRIPTORS).unwrap().file;
        let mut declared = BTreeSet::new();
        for file in &files {
            for service in &file.service {
                let name = format!("{}.{}", file.package(), service.name());
                declared.extend(service.method.iter().map(|m| format!("/{name}/{}", m.name())));
            }
        }
        assert!(declared.len() >= 14, "{declared:?}");
        let ours = CALLS.iter().filter(|rule| rule.path.starts_with("/fulldeck."));
        let ruled: BTreeSet<_> = ours.map(|rule| rule.path.to_owned()).collect();
        assert_eq!(ruled, declared, "calls.rs and the protocol files differ");
        assert_eq!(CALLS.iter().map(|rule| rule.path).collect::<BTreeSet<_>>().len(), CALLS.len());
    }

    #[test]
    fn only_health_is_for_everybody() {
        for rule in CALLS {
            assert_eq!(rule.needs.is_none(), rule.path.contains("Health"), "{}", rule.path);
        }
        assert_eq!(rule_of("/fulldeck.v1.AdminService/Nothing").needs, Some(Role::Reader));
    }
}
