//! What a run says about its own figures.

#![allow(clippy::unwrap_used)]

mod common;

use common::diskspd;

#[test]
fn a_limit_that_every_thread_has_for_itself_is_stated_as_their_sum() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    let ended = diskspd("-c1M -g100i -t3 -W0 -d1 --engine null {}", &file);
    assert!(ended.stderr.contains("NOTE: -g limits each of the 3 threads"), "{}", ended.stderr);
    assert!(ended.stderr.contains("300 IOPS in all"), "{}", ended.stderr);
    let alone = diskspd("-c1M -g100i -t1 -W0 -d1 --engine null {}", &file);
    assert!(!alone.stderr.contains("-g limits each"), "{}", alone.stderr);
}
