//! Fixed defects as patches, which show that the simulation finds them (docs/design/simulation.md).

#![allow(clippy::unwrap_used)]

use crate::common::skip;
use std::path::Path;
use std::process::Command;

#[test]
fn old_bug_patches_still_apply() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let decision = std::fs::read_to_string(root.join("docs/design/simulation.md")).unwrap();
    let patches = std::fs::read_dir(root.join("xtask/old-bugs")).unwrap();
    for patch in patches.map(|entry| entry.unwrap().path()) {
        let name = patch.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(decision.contains(&format!("| `xtask/old-bugs/{name}` | `--world ")), "{name} has no seed");
        let tried = Command::new("git").args(["apply", "--check"]).arg(&patch).current_dir(root).output();
        match tried {
            Ok(tried) => assert!(tried.status.success(), "{}", String::from_utf8_lossy(&tried.stderr)),
            Err(why) => return skip(&format!("git cannot be run: {why}")),
        }
    }
}
