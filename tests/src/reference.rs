//! The run that nothing disturbed.

use std::sync::OnceLock;

use crate::{Artifact, Scene};

/// The small run of most scenarios: hold'em, 169 x 169 clusters, some seconds of computing.
pub const HOLDEM: &str = "omaha -p cards=2";
/// The digest of its artifact, on every machine, by whatever plan.
pub const HOLDEM_DIGEST: &str = "bfa67973cc16756731133ee6c5c7e8d10ba9c9ab09a84090e35d3614a3291564";

/// The artifact of [`HOLDEM`] by one undisturbed `fulldeck run`, computed once a test program.
///
/// # Panics
/// If that run fails, or gives another digest.
#[must_use]
pub fn undisturbed() -> &'static Artifact {
    static REFERENCE: OnceLock<Artifact> = OnceLock::new();
    REFERENCE.get_or_init(|| {
        let scene = Scene::new();
        let summary = scene.json(&format!("run {HOLDEM} --slices 24"));
        let artifact = scene.artifact("fulldeck-data");
        assert_eq!(summary["computed_slices"], 24);
        assert_eq!(artifact.digest(), HOLDEM_DIGEST);
        artifact
    })
}
