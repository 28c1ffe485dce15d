//! One module a command: `Arguments`, and `execute`, which returns the exit code.

pub(crate) mod basket;
pub(crate) mod bench;
pub(crate) mod betting;
pub(crate) mod completions;
pub(crate) mod control;
pub(crate) mod coordinator;
pub(crate) mod doctor;
pub(crate) mod doudizhu;
pub(crate) mod explain;
pub(crate) mod fleet;
pub(crate) mod joker;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod omaha;
pub(crate) mod plot;
pub(crate) mod query;
pub(crate) mod run;
pub(crate) mod solve;
pub(crate) mod status;
pub(crate) mod store;
pub(crate) mod submit;
pub(crate) mod verify;
pub(crate) mod wait;
pub(crate) mod worker;
pub(crate) mod workers;
pub(crate) mod workloads;
