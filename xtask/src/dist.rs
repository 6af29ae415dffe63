//! Release artefacts: a static program for each processor and one for glibc, their debug symbols,
//! packages, an archive for Windows, and bills of materials.

mod beside;
mod build;
mod commands;
mod crates;
mod documents;
mod licences;
mod packages;
mod sbom;
mod staging;
mod windows;

use crate::harness::{Arguments, Failure, output, run};
use build::{Libc, Triple};
use commands::{has_cargo, sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Maximum size of the static program (docs/how-to/packages.md).
const MAX_PROGRAM_BYTES: u64 = 16 << 20;

/// Builds everything into target/dist/out; `--twice` builds only the program, in two folders.
///
/// # Errors
/// Fails if a build fails, is too large, or is not reproducible.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let libc = Libc::from_name(&arguments.value("--libc")?.unwrap_or_else(|| "musl".to_owned()))?;
    let triple = Triple::for_arch(&arguments.value("--arch")?.unwrap_or_else(|| "x86_64".to_owned()), libc)?;
    let twice = arguments.flag("--twice");
    let check = arguments.flag("--check");
    let program_only = arguments.flag("--program");
    let for_windows = arguments.flag("--windows");
    let toolchain = arguments.value("--toolchain")?;
    arguments.finish()?;
    // The bill of materials tells the standard library of the toolchain that makes what is shipped.
    if toolchain.is_some() && (!check || twice || for_windows || libc == Libc::Glibc) {
        return Err("--toolchain requires --check of the static program".into());
    }
    let own = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    let root = Path::new(&own).parent().ok_or("this tool's package is not in a workspace")?;
    if twice {
        return build_twice(root, triple);
    }
    let out = root.join("target/dist/out");
    std::fs::create_dir_all(&out)?;
    let profile = if check { "dev" } else { "dist" };
    if for_windows {
        return match windows::missing(root) {
            Some(what) => Err(format!("no archive for Windows can be made: {what}").into()),
            None => list(&out, &windows::make(root, profile, &out)?),
        };
    }
    let built = build::build(root, triple, profile, toolchain.as_deref())?;
    if !check && built.size()? > MAX_PROGRAM_BYTES {
        return Err(format!("{} bytes: the program is larger than {MAX_PROGRAM_BYTES}", built.size()?).into());
    }
    if let Some(needed) = built.glibc()?.filter(|needed| *needed > build::OLDEST_GLIBC) {
        let said = format!(
            "the program needs glibc 2.{needed}, and its packages promise 2.{}: build it where that is the C \
             library, as in \
             the container of docs/how-to/packages.md",
            build::OLDEST_GLIBC
        );
        match check {
            true => eprintln!("NOTE: {said}"),
            false => return Err(said.into()),
        }
    }
    let mut made = vec![built.put(&out)?, built.put_symbols(&out)?];
    if !program_only {
        let crates = crates::Crates::known(root, triple)?;
        staging::stage(root, &built, &licences::list_licences(&crates)?)?;
        made.push(sbom::write(root, triple, &crates, &out)?);
        made.extend(packages::make(root, triple, profile, &out)?);
        match windows::missing(root).filter(|_| is_usual(triple)) {
            Some(what) => eprintln!("NOTE: no archive for Windows: {what}"),
            None if is_usual(triple) => made.extend(windows::make(root, profile, &out)?),
            None => {}
        }
    }
    list(&out, &made)
}

fn is_usual(triple: Triple) -> bool {
    triple.libc == Libc::Musl && triple.arch == "x86_64"
}

fn build_twice(root: &Path, triple: Triple) -> Result<(), Failure> {
    let first = build::build(root, triple, "dist", None)?;
    let other = tempfile::tempdir_in(root.join("target"))?.keep();
    let copied = copy_tracked(root, &other).and_then(|()| build::build(&other, triple, "dist", None));
    let answer = copied.and_then(|second| {
        let [first, second] = [&first, &second].map(|built| sha256(&built.program));
        Ok((first?, second?))
    });
    std::fs::remove_dir_all(&other)?;
    let (first, second) = answer?;
    println!("{first}  {}\n{second}  {}", root.display(), other.display());
    match first == second {
        true => Ok(()),
        false => Err("the two programs differ: diffoscope says where".into()),
    }
}

fn copy_tracked(from: &Path, to: &Path) -> Result<(), Failure> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(from).output()?;
    for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = std::str::from_utf8(name)?;
        let place = to.join(name);
        std::fs::create_dir_all(place.parent().unwrap_or(to))?;
        std::fs::copy(from.join(name), place)?;
    }
    Ok(())
}

fn list(out: &Path, made: &[PathBuf]) -> Result<(), Failure> {
    let place = out.join("SHA256SUMS");
    let before = std::fs::read_to_string(&place).unwrap_or_default();
    let earlier = before.lines().filter_map(|line| line.split_once("  "));
    let mut sums: BTreeMap<String, String> = earlier
        .filter(|(_, name)| out.join(name).is_file())
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect();
    for path in made {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let sum = sha256(path)?;
        println!("{:>10}  {sum}  {name}", path.metadata()?.len());
        sums.insert(name.into_owned(), sum);
    }
    let lines: String = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    std::fs::write(place, lines)?;
    println!("in {}", out.display());
    Ok(())
}
