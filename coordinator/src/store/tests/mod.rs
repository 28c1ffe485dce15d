mod conformance;
mod crash;
mod damage;
mod fixture;
mod interruption;
mod looking;
mod repair;

pub(super) use interruption::Interruption;
