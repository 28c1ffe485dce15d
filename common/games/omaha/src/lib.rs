//! omaha
