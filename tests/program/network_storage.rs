//! Storage of other machines: NFS and SMB, with the real client and server of a kernel that has them.

#![allow(clippy::unwrap_used)]

use crate::common::virtual_machine::VirtualMachine;

#[test]
fn a_virtual_machine_runs_the_program() {
    let machine = VirtualMachine::new().module("brd");
    let script = "uname -r >$OUT/kernel\nfalse || $DISKSPD --version >$OUT/version\nexit 7\n";
    let Some(outcome) = machine.script(script).run() else { return };
    assert_eq!(outcome.exit, 7, "{}", outcome.console);
    assert!(outcome.text("version").contains(env!("CARGO_PKG_VERSION")), "{}", outcome.console);
}
