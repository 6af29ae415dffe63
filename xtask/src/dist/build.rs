//! The program itself. It is linked statically with musl, reproducibly, or with glibc as a rank of MPI.
//! MPI's library is loaded at run time. The Windows build uses mingw-w64.

use super::{has_cargo, output, run};
use crate::harness::{Failure, is_installed};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, Clone, Copy)]
pub struct Triple {
    /// Processor architecture, in the names of Rust and rpm.
    pub arch: &'static str,
    pub debian: &'static str,
    pub name: &'static str,
    pub libc: Libc,
    compilers: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Libc {
    /// Included in the program, which has no dependencies.
    Musl,
    /// C library of the system, in the version of the building machine or later.
    Glibc,
    Mingw,
}

impl Libc {
    pub fn from_name(name: &str) -> Result<Libc, Failure> {
        match name {
            "musl" => Ok(Libc::Musl),
            "glibc" => Ok(Libc::Glibc),
            // For Windows it is no choice: --windows.
            _ => Err(format!("--libc {name}: musl or glibc").into()),
        }
    }
}

/// Windows on x86_64.
pub const WINDOWS: Triple = Triple {
    arch: "x86_64",
    debian: "amd64",
    name: "x86_64-pc-windows-gnu",
    libc: Libc::Mingw,
    compilers: &[MINGW],
};

/// Compiler for Windows of Debian and other distributions.
pub const MINGW: &str = "x86_64-w64-mingw32-gcc";

const TRIPLES: [Triple; 4] = [
    Triple {
        arch: "x86_64",
        debian: "amd64",
        name: "x86_64-unknown-linux-musl",
        libc: Libc::Musl,
        compilers: &["x86_64-linux-musl-gcc", "musl-gcc"],
    },
    Triple {
        arch: "aarch64",
        debian: "arm64",
        name: "aarch64-unknown-linux-musl",
        libc: Libc::Musl,
        compilers: &["aarch64-linux-musl-gcc"],
    },
    Triple {
        arch: "x86_64",
        debian: "amd64",
        name: "x86_64-unknown-linux-gnu",
        libc: Libc::Glibc,
        compilers: &["x86_64-linux-gnu-gcc", "cc"],
    },
    Triple {
        arch: "aarch64",
        debian: "arm64",
        name: "aarch64-unknown-linux-gnu",
        libc: Libc::Glibc,
        compilers: &["aarch64-linux-gnu-gcc"],
    },
];

impl Triple {
    pub fn for_arch(arch: &str, libc: Libc) -> Result<Triple, Failure> {
        let found = TRIPLES.into_iter().find(|triple| triple.arch == arch && triple.libc == libc);
        found.ok_or_else(|| format!("--arch {arch}: x86_64 or aarch64").into())
    }

    pub fn label(self) -> String {
        match self.libc {
            Libc::Musl => self.arch.to_owned(),
            Libc::Glibc => format!("{}-glibc", self.arch),
            Libc::Mingw => format!("windows-{}", self.arch),
        }
    }

    pub fn package(self) -> &'static str {
        match self.libc {
            Libc::Musl | Libc::Mingw => "diskspd",
            Libc::Glibc => "diskspd-glibc",
        }
    }

    /// Returns the C compiler: `CC_<triple>`, or an installed one, otherwise Zig's. Zig is available as a
    /// Python package (`pip install ziglang`), and includes every C library.
    fn compiler(self, root: &str) -> Result<String, Failure> {
        let variable = format!("CC_{}", self.name.replace('-', "_"));
        if let Ok(given) = std::env::var(&variable) {
            return Ok(given);
        }
        let there = |name: &&&str| is_installed(name);
        if let Some(installed) = self.compilers.iter().find(there) {
            return Ok((*installed).to_owned());
        }
        let needed = match self.libc {
            Libc::Musl => "musl-tools",
            Libc::Glibc => "gcc, or a cross compiler",
            Libc::Mingw => "gcc-mingw-w64-x86-64",
        };
        let zig = Command::new("python3").args(["-m", "ziglang", "version"]).output();
        if self.libc == Libc::Musl && zig.is_ok_and(|ended| ended.status.success()) {
            return self.zig(root);
        }
        let why = format!(
            "no C compiler for {}: install {} (Debian: {needed}), or Zig's (pip install ziglang), or name \
             another in \
             {variable}",
            self.name, self.compilers[0]
        );
        Err(why.into())
    }

    fn zig(self, root: &str) -> Result<String, Failure> {
        let script = format!("{root}/target/dist/zig-cc-{}", self.arch);
        let text = format!(
            "#!/bin/sh\nfor word do\n  shift\n  case $word in --target=*) ;; *) set -- \"$@\" \"$word\" ;; \
             esac\ndone\n\
             exec python3 -m ziglang cc -target {}-linux-musl \"$@\"\n",
            self.arch
        );
        std::fs::create_dir_all(format!("{root}/target/dist"))?;
        std::fs::write(&script, text)?;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
        Ok(script)
    }
}

/// Linker and C library for musl from Rust, equal on every machine. Functions with equal code are merged.
const LINKER: [&str; 3] = ["-Clinker=rust-lld", "-Clink-self-contained=yes", "-Clink-arg=--icf=all"];

/// Short form of addresses that depend on the load address.
const SHORT_RELOCATIONS: &str = "-Clink-arg=--pack-dyn-relocs=relr";

/// First Rust minor version with a musl (1.2.5) that supports short relocations. Older ones crash at start.
const READS_SHORT_RELOCATIONS: u32 = 93;

const UNUSED_OF_SQLITE: [&str; 8] = [
    "-USQLITE_ENABLE_FTS3",
    "-USQLITE_ENABLE_FTS3_PARENTHESIS",
    "-USQLITE_ENABLE_FTS5",
    "-USQLITE_ENABLE_RTREE",
    "-USQLITE_ENABLE_DBSTAT_VTAB",
    "-USQLITE_ENABLE_STAT4",
    "-USQLITE_SOUNDEX",
    "-DSQLITE_OMIT_LOAD_EXTENSION",
];

pub const OLDEST_GLIBC: u32 = 28;

#[derive(Debug)]
pub struct Built {
    pub triple: Triple,
    pub program: PathBuf,
    symbols: PathBuf,
}

impl Built {
    /// Returns the size of the program in bytes.
    pub fn size(&self) -> Result<u64, Failure> {
        Ok(self.program.metadata()?.len())
    }

    /// Returns the required minor version of glibc (`2.x`); `None` = not required.
    ///
    /// # Errors
    /// Fails if the program does not exist.
    pub fn glibc(&self) -> Result<Option<u32>, Failure> {
        Ok(newest_glibc(&std::fs::read(&self.program)?))
    }

    /// Copies the program to a folder.
    pub fn put(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let place = folder.join(format!("diskspd-{}", self.triple.label()));
        std::fs::copy(&self.program, &place)?;
        Ok(place)
    }

    /// Copies the debug symbols to a folder.
    pub fn put_symbols(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let place = folder.join(format!("diskspd-{}.debug", self.triple.label()));
        std::fs::copy(&self.symbols, &place)?;
        Ok(place)
    }
}

fn newest_glibc(program: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"GLIBC_2.";
    let places = program.windows(NAME.len()).enumerate().filter(|(_, name)| *name == NAME);
    let minor = |(place, _): (usize, &[u8])| {
        let digits = program[place + NAME.len()..].iter().take_while(|digit| digit.is_ascii_digit()).take(4);
        digits.fold(None, |minor: Option<u32>, digit| Some(minor.unwrap_or(0) * 10 + u32::from(digit - b'0')))
    };
    places.filter_map(minor).max()
}

/// Builds the program in this folder, with a rustup toolchain if named.
///
/// # Errors
/// Fails if a tool is missing, or the build fails.
pub fn build(root: &Path, triple: Triple, profile: &str, toolchain: Option<&str>) -> Result<Built, Failure> {
    let host = host(root)?;
    let is_static = triple.libc == Libc::Musl;
    if profile == "dev" && !is_static && (triple.name == host || triple.libc == Libc::Mingw) {
        return build_beside_tests(root, triple, &host);
    }
    // What is only tried takes what the tests have compiled to run while crates are compiled.
    let target = root.join(if profile == "dev" { "target" } else { "target/dist" });
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(toolchain.map(|name| format!("+{name}")));
    match has_cargo("auditable") {
        true => drop(cargo.arg("auditable")),
        false => eprintln!(
            "NOTE: the program is built without the list of its dependencies in it: cargo install \
             cargo-auditable"
        ),
    }
    cargo.args(["build", "--locked", "--bin", "diskspd", "--profile", profile, "--target", triple.name]);
    cargo.arg("--target-dir").arg(&target);
    for (name, value) in environment(root, triple, toolchain)? {
        cargo.env(name, value);
    }
    run(&mut cargo).map_err(|why| without_target(&why, triple))?;
    let folder = target.join(triple.name).join(if profile == "dev" { "debug" } else { profile });
    strip(triple, &folder)
}

/// Builds the unoptimized program for a system that the tests also target. Their crates are reused, and
/// only the program's own crate and the linker get the release flags. The static program tests the effect
/// of these flags on all crates, and the C compiler's flags.
fn build_beside_tests(root: &Path, triple: Triple, host: &str) -> Result<Built, Failure> {
    let target = root.join("target");
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["rustc", "--locked", "--package", "diskspd", "--bin", "diskspd"]);
    cargo.arg("--target-dir").arg(&target);
    let mut folder = target;
    if triple.name != host {
        cargo.args(["--target", triple.name]);
        folder.push(triple.name);
    }
    cargo.arg("--").args(rust_flags(root, triple, None)?);
    run(&mut cargo).map_err(|why| without_target(&why, triple))?;
    strip(triple, &folder.join("debug"))
}

fn without_target(why: &Failure, triple: Triple) -> Failure {
    format!("{why}; rustup target add {} may be missing", triple.name).into()
}

fn host(root: &Path) -> Result<String, Failure> {
    told_by_rustc(root, None, "host")
}

/// Returns a value of rustc's version output, optionally of a rustup toolchain.
///
/// # Errors
/// Fails if it is missing, or does not contain the value.
pub fn told_by_rustc(root: &Path, toolchain: Option<&str>, what: &str) -> Result<String, Failure> {
    let named = toolchain.map(|name| format!("+{name}"));
    let told = output(Command::new("rustc").args(named).arg("-vV").current_dir(root))?;
    let value = told.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(": "));
    value.map(str::to_owned).ok_or_else(|| format!("rustc -vV names no {what}").into())
}

/// Whether the musl of this Rust reads relocations in the short form: `1.95.0`.
fn reads_short_relocations(release: &str) -> bool {
    let minor = release.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= READS_SHORT_RELOCATIONS)
}

fn places(root: &Path) -> Result<[(String, &'static str); 3], Failure> {
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"))?;
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root))?;
    let root = root.to_str().ok_or("the name of this folder is not text")?;
    let places = [(home, "/cargo"), (sysroot.trim().to_owned(), "/rust"), (root.to_owned(), "/diskspd")];
    if places.iter().any(|(from, _)| from.contains(char::is_whitespace)) {
        return Err("a C compiler does not accept folders with blanks in their names: build elsewhere".into());
    }
    Ok(places)
}

fn rust_flags(root: &Path, triple: Triple, toolchain: Option<&str>) -> Result<Vec<String>, Failure> {
    let mut flags: Vec<String> =
        places(root)?.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")).collect();
    // As much as for a small program: what says `#[inline]`, as the worker loop does, isn't touched by it.
    flags.push("-Cllvm-args=-inline-threshold=50".to_owned());
    if triple.libc == Libc::Musl {
        flags.extend(LINKER.map(str::to_owned));
        if reads_short_relocations(&told_by_rustc(root, toolchain, "release")?) {
            flags.push(SHORT_RELOCATIONS.to_owned());
        }
        let root = root.to_str().ok_or("the name of this folder is not text")?;
        flags.push(format!("-Lnative={}", without_libdl(root)?));
    }
    if triple.libc == Libc::Mingw {
        // When it was linked stands in no program.
        flags.push("-Clink-arg=-Wl,--no-insert-timestamp".to_owned());
    }
    Ok(flags)
}

fn environment(
    root: &Path,
    triple: Triple,
    toolchain: Option<&str>,
) -> Result<Vec<(String, String)>, Failure> {
    let c = places(root)?.map(|(from, to)| format!("-ffile-prefix-map={from}={to}"));
    let name = triple.name.replace('-', "_");
    Ok(vec![
        ("CARGO_ENCODED_RUSTFLAGS".to_owned(), rust_flags(root, triple, toolchain)?.join("\u{1f}")),
        (format!("CFLAGS_{name}"), c.join(" ")),
        (format!("CC_{name}"), triple.compiler(root.to_str().ok_or("the name of this folder is not text")?)?),
        ("LIBSQLITE3_FLAGS".to_owned(), UNUSED_OF_SQLITE.join(" ")),
        ("SOURCE_DATE_EPOCH".to_owned(), time_of_change(root)),
    ])
}

/// Returns a folder with an empty libdl. Crates that load libraries link it, musl includes it in its libc,
/// and Rust does not ship the empty one that musl has.
fn without_libdl(root: &str) -> Result<String, Failure> {
    let folder = format!("{root}/target/dist/libdl");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(format!("{folder}/libdl.a"), "!<arch>\n")?;
    Ok(folder)
}

/// Returns the time of the last change in s since 1970, unless the user sets it.
pub fn time_of_change(root: impl AsRef<Path>) -> String {
    let of_git = || {
        let time = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root)).ok()?;
        Some(time.trim().to_owned()).filter(|time| !time.is_empty())
    };
    // A packed crate has no history: any time that is always the same.
    std::env::var("SOURCE_DATE_EPOCH").ok().or_else(of_git).unwrap_or_else(|| "1767225600".to_owned())
}

fn strip(triple: Triple, folder: &Path) -> Result<Built, Failure> {
    let (tool, libraries) = match triple.libc {
        // That of the compiler's makers: Rust's doesn't separate symbols of Windows' programs.
        Libc::Mingw => (MINGW.replace("gcc", "objcopy").into(), PathBuf::new()),
        _ => objcopy()?,
    };
    let name = if triple.libc == Libc::Mingw { "diskspd.exe" } else { "diskspd" };
    let (from, at) = (folder.join(name), folder.join("shipped"));
    std::fs::create_dir_all(&at)?;
    let (program, symbols) = (at.join(name), at.join(format!("diskspd-{}.debug", triple.label())));
    let objcopy = |option: &str| {
        let mut command = Command::new(&tool);
        command.env("LD_LIBRARY_PATH", &libraries).arg(option);
        command
    };
    run(objcopy("--only-keep-debug").arg(&from).arg(&symbols))?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    run(objcopy("--strip-all").args(["--keep-section=.dep-v0", &link]).arg(&from).arg(&program))?;
    Ok(Built { triple, program, symbols })
}

fn objcopy() -> Result<(PathBuf, PathBuf), Failure> {
    let libraries = output(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let own = Path::new(libraries.trim()).with_file_name("bin").join("rust-objcopy");
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let tool = if own.exists() { own } else { "objcopy".into() };
    Ok((tool, Path::new(sysroot.trim()).join("lib")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_required_glibc_is_found() {
        assert_eq!(newest_glibc(b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE"), Some(34));
        assert_eq!(newest_glibc(b"GLIBC_2."), None);
        assert_eq!(newest_glibc(b""), None);
    }

    #[test]
    fn old_musl_gets_no_unsupported_relocations() {
        for (release, short) in
            [("1.88.0", false), ("1.92.0", false), ("1.93.0", true), ("1.97.0-nightly", true)]
        {
            assert_eq!(reads_short_relocations(release), short, "{release}");
        }
        assert!(!reads_short_relocations(""));
    }

    #[test]
    fn packages_require_the_glibc_of_their_build() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("Cargo.toml");
        let text = std::fs::read_to_string(manifest).unwrap();
        assert!(text.contains(&format!("depends = \"libc6 (>= 2.{OLDEST_GLIBC})\"")));
        assert!(text.contains(&format!("requires = {{ \"glibc\" = \">= 2.{OLDEST_GLIBC}\" }}")));
    }
}
