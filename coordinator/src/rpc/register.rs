//! Whether a worker and this coordinator can work together.

use fulldeck_job::Registry;
use fulldeck_proto::{PROTOCOL, v1};
use tonic::Status;

use super::convert;
use super::status::{conflict, malformed};
use crate::scheduler::{Millis, Registration};

/// Longest text a worker may say about itself, in bytes.
const MAX_TEXT: usize = 256;
/// Most workloads a worker may name.
const MAX_WORKLOADS: usize = 256;

/// Reads a registration.
///
/// # Errors
/// FAILED_PRECONDITION when versions differ, INVALID_ARGUMENT beyond a bound.
pub(super) fn registration(
    request: v1::RegisterRequest,
    registry: &Registry,
) -> Result<Registration, Status> {
    let (theirs, ours) = (request.protocol_major, PROTOCOL.0);
    if theirs != ours {
        return Err(conflict(format!(
            "worker speaks protocol {theirs}, coordinator {ours}: install the same release on both"
        )));
    }
    let texts = [&request.name, &request.host_key, &request.cpu, &request.build];
    let named = request.workloads.iter().map(|workload| &workload.name);
    if texts.into_iter().chain(named).any(|text| text.len() > MAX_TEXT) {
        return Err(malformed(format!(
            "name, host, processor or build have over {MAX_TEXT} bytes"
        )));
    }
    if request.workloads.len() > MAX_WORKLOADS {
        return Err(malformed(format!("more than {MAX_WORKLOADS} workloads")));
    }
    for v1::WorkloadVersion { name, algorithm_version } in &request.workloads {
        if let Some(known) = registry.get(name)
            && known.algorithm_version() != *algorithm_version
        {
            return Err(conflict(format!(
                "worker computes {name} version {algorithm_version}, coordinator version {}: install the same \
                 release on both",
                known.algorithm_version()
            )));
        }
    }
    Ok(Registration {
        held: convert::held(&request.held)?,
        name: request.name,
        host_key: request.host_key,
        cpu: request.cpu,
        build: request.build,
        threads: request.threads,
        instance: request.instance,
        ends_in: request.ends_in_ms.map(Millis),
        workloads: request
            .workloads
            .into_iter()
            .map(|workload| (workload.name, workload.algorithm_version))
            .collect(),
    })
}
