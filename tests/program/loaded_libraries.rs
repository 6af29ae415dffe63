//! Libraries that the program loads: none grants additional rights to the user, and each is of the type in
//! its name.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, copy_of_program, directory, output, skip, tool};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const NOBODY: u32 = 65534;

/// Compiles a library whose constructor creates a file; `None` = not possible here.
fn telling_library(folder: &Path, mark: &Path) -> Option<PathBuf> {
    let (source, library) = (folder.join("tells.c"), folder.join("libmpi.so.40"));
    let text = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void tell(void) {{ fclose(fopen(\"{}\", \"w\")); }}\n",
        mark.display()
    );
    fs::write(&source, text).unwrap();
    tool(&format!("cc -shared -fPIC -o {} {}", library.display(), source.display()))?;
    Some(library)
}

#[test]
fn privileged_copy_loads_no_user_library() {
    if !rustix::process::geteuid().is_root() {
        return skip("giving a file capabilities needs root");
    }
    let folder = directory();
    let at = |name: &str| folder.path().join(name);
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let Some(library) = telling_library(folder.path(), &at("mark")) else { return skip("no C compiler") };
    let named = format!("--mpi={}", library.display());
    let plain = copy_of_program(folder.path());
    fs::copy(&plain, at("capable")).unwrap();
    let given = tool(&format!("setcap cap_perfmon=ep {}", at("capable").display()));
    let as_nobody = |program: &Path| -> Ended {
        let _ = fs::remove_file(at("mark"));
        let mut command = Command::new(program);
        command
            .args([&named, "-c1M", "-W0", "-d1", "t.dat"])
            .uid(NOBODY)
            .gid(NOBODY)
            .current_dir(folder.path());
        output(&mut command).unwrap().into()
    };
    // The user's own program does what the user says.
    let ended = as_nobody(&plain);
    ended.fails(1, &["it is not an MPI library"]);
    assert!(at("mark").exists());
    if given.is_none() {
        return skip("setcap does not work here");
    }
    let ended = as_nobody(&at("capable"));
    ended.fails(1, &["more rights than its user", "loads no MPI library"]);
    assert!(!at("mark").exists(), "the library's code ran");
    // Nor does it start commands for that user.
    let mut command = Command::new(at("capable"));
    let between = format!("touch {}", at("mark").display());
    command.args([
        "sweep",
        "--between",
        &between,
        "-o1..2",
        "--engine",
        "sim",
        "-c1M",
        "-W0",
        "-d1",
        "t.dat",
    ]);
    let ended: Ended = output(command.uid(NOBODY).gid(NOBODY).current_dir(folder.path())).unwrap().into();
    ended.fails(3, &["--between", "more rights than its user"]);
    assert!(!at("mark").exists());
}

#[test]
fn another_mpi_under_a_known_name_is_a_message() {
    let folder = directory();
    let libraries = Path::new("/usr/lib/x86_64-linux-gnu");
    let mut tried = 0;
    for (library, name, words) in [
        ("libmpi.so.40", "libmpi.so.12", ["MPICH", "'Open MPI"]),
        ("libmpi.so.40", "libmpi_abi.so.1", ["standard ABI", "'Open MPI"]),
        ("libmpich.so.12", "libmpi_abi.so", ["standard ABI", "'MPICH"]),
        ("libmpich.so.12", "libmpi.so.40", ["Open MPI", "'MPICH"]),
        ("libc.so.6", "libmpich.so.12", ["no usable MPI library", "MPI_Get_library_version"]),
    ] {
        if !libraries.join(library).exists() {
            skip(&format!("no {library}"));
            continue;
        }
        tried += 1;
        let link = folder.path().join(name);
        let _ = fs::remove_file(&link);
        symlink(libraries.join(library), &link).unwrap();
        let named = format!("--mpi={}", link.display());
        let target = folder.path().join("t.dat");
        let mut command = command_of(&[&named, "-c1M", "-W0", "-d1", target.to_str().unwrap()]);
        Ended::from(output(&mut command).unwrap()).fails(1, &words);
        assert!(!target.exists(), "{library} as {name}");
    }
    assert!(tried > 0 || !libraries.exists());
}
