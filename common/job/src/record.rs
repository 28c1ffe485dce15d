//! The record frame: header and payload of segment files, bundles and spools.
