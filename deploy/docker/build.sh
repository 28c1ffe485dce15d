#!/bin/sh
# Builds the static program and the image `fulldeck:latest`, or one of another name: build.sh [NAME]. ENGINE is docker,
# podman or buildah; none makes the program and its folder alone.
set -eu
name=${1:-fulldeck:latest}
engine=${ENGINE:-docker}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
target=x86_64-unknown-linux-gnu
context=${CONTEXT:-$top/target/image}
export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static"
cargo build --manifest-path "$top/Cargo.toml" --release --locked --target "$target" \
    ${CARGO_TARGET_DIR:+--target-dir "$CARGO_TARGET_DIR"} --package fulldeck-coordinator --bin fulldeck
mkdir -p "$context"
cp "$here/Dockerfile" "$here/.dockerignore" "$context/"
cp "${CARGO_TARGET_DIR:-$top/target}/$target/release/fulldeck" "$context/fulldeck"
strip "$context/fulldeck"
case $engine in
    none) echo "$context" ;;
    buildah) buildah build --tag "$name" "$context" ;;
    *) "$engine" build --tag "$name" "$context" ;;
esac
