mod conformance;
mod crash;
mod damage;
mod fixture;
mod interruption;
mod repair;

pub(super) use interruption::Interruption;
