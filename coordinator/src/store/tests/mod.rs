mod care;
mod care_crash;
mod care_damage;
mod conformance;
mod crash;
mod damage;
mod fixture;
mod interruption;
mod large;
mod looking;
mod repair;
mod reserve;

pub(super) use interruption::Interruption;
