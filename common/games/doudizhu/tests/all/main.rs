//! Known answers, and clever things against plain ones.

mod csv;
mod endgame;
mod groups;
mod moves;
mod seed;
mod strength;
