//! Compiles the protocol files in pure Rust (protox): nothing has to be installed first.

use std::path::PathBuf;
use std::{env, error, fs};

use prost::Message as _;

fn main() -> Result<(), Box<dyn error::Error>> {
    let files = ["fulldeck/v1/worker.proto", "fulldeck/v1/admin.proto"];
    for file in files {
        println!("cargo::rerun-if-changed={file}");
    }
    let descriptors = protox::compile(files, ["."])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().bytes(".").compile_fds(descriptors)?;
    Ok(())
}
