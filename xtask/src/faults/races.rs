//! Races. Another process exchanges the path of an output, a target or a folder while the program opens,
//! creates or replaces it. The path is a harmless file, a link or hard link to the backing file of a loop
//! device, another user's link to a file, a folder or nothing, a folder, a pipe, or absent. Either the last
//! name of the path changes, or a folder on the way. The targets of the links must stay unchanged.

use super::commands::writing_lines::{OUTPUTS, PREPARING, words};
use super::ended::Ended;
use super::{Bench, Tally};
use crate::harness::{Failure, Random, Undo, tool};
use rustix::fs::{CWD, Mode, OFlags, RenameFlags, open, renameat_with};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Targets, and folders maintained by a command. `{}` is the path that changes.
const OTHER_COMMANDS: &[&str] = &[
    "-c64K -b4K -w100 -W0 -d1 --until-written 64K {}",
    "-c64K -b4K -W0 -d1 --until-read 64K --recreate {}",
    "-b4K -w100 -W0 -d1 --until-written 64K {}",
    "-b4K -w100 -Su -W0 -d1 --until-written 64K {}",
    "-b4K -w100 -Sm -W0 -d1 --until-written 64K {}",
    "-b4K -W0 -d1 --until-read 64K --prefill {}",
    "-b4K -w50 -W0 -d1 --until-read 64K --trim 20 --engine sync {}",
    "-c64K -b4K -w100 -W0 -d1 --until-written 64K --verify {}",
    "--text-verdict --out text:{} RUN",
    "--save --store {} RUN",
    "history import b.json --store {}",
    "history label 0 other --store {}",
    "baseline set c a.json --store {}",
    "suite fleet-peak t.dat --store {} --repeat 1 -- --engine sim -c1M -W0 -d1 -g1000i",
    "sweep --dir {} -o1..2 SIM",
];
/// Maximum duration of a round on a busy machine.
const BOUND: Duration = Duration::from_secs(120);
const WORKERS: usize = 4;
/// A user who is not root.
const NOBODY_UID: u32 = 65534;
const IMAGE: usize = 64 << 10;
const PRECIOUS: &str = "precious\n";
/// Exit codes of `docs/reference/features.md`.
const CODES: std::ops::RangeInclusive<i32> = 0..=6;
/// Number of open readers of pipes.
const READERS: usize = 200;
/// Rounds of each route between two progress lines, so that a killed campaign has counts.
const PROGRESS_ROUNDS: usize = 50;
/// Maximum time between two exchanges in µs.
const PAUSE_US: usize = 300;

#[derive(Debug, Clone, Copy)]
enum Object {
    Free,
    Image,
    HardImage,
    ForeignFile,
    ForeignFolder,
    ForeignNothing,
    Folder,
    Pipe,
    Nothing,
}

const OBJECTS: [Object; 9] = [
    Object::Free,
    Object::Image,
    Object::HardImage,
    Object::ForeignFile,
    Object::ForeignFolder,
    Object::ForeignNothing,
    Object::Folder,
    Object::Pipe,
    Object::Nothing,
];

/// Rounds of a route so far.
#[derive(Default, Clone)]
struct RouteTally {
    rounds: usize,
    completed: usize,
    exchanges: usize,
    surprises: Vec<String>,
}

/// Runs the routes that contain a text of `--routes`, with `--rounds` rounds each.
pub fn races(bench: &Bench) -> Result<Tally, Failure> {
    if !rustix::process::geteuid().is_root() {
        println!("races: left out, loop devices and links of other users take root");
        return Ok(Tally::default());
    }
    let lines = OUTPUTS.iter().map(|(.., line)| *line).chain(OTHER_COMMANDS.iter().copied());
    let is_selected = |line: &&str| bench.routes.split(',').any(|text| line.contains(text));
    let routes: Vec<&str> = lines.filter(is_selected).collect();
    if routes.is_empty() {
        return Err(format!("--routes {}: no route contains one of these texts", bench.routes).into());
    }
    let tallies = Mutex::new(vec![RouteTally::default(); routes.len()]);
    // All routes have their turn, so that all have the same number of rounds where the time does not suffice.
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<()> {
        let arena = Arena::new(bench).map_err(other_error)?;
        while Instant::now() < bench.until {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let (round, route) = (number / routes.len(), number % routes.len());
            if round >= bench.rounds {
                break;
            }
            let mut random = Random(number as u64);
            let one = arena.attempt(routes[route], &mut random);
            let one = one.map_err(|why| io::Error::other(format!("{}: {why}", routes[route])))?;
            one.surprises.iter().for_each(|surprise| println!("  {surprise}"));
            let mut tallies = tallies.lock().map_err(|_| io::Error::other("a worker failed"))?;
            tallies[route].add(one);
            if route == 0 && round.is_multiple_of(PROGRESS_ROUNDS) {
                let surprises: usize = tallies.iter().map(|tally| tally.surprises.len()).sum();
                println!("  {round} rounds of each route, {surprises} surprises");
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| io::Error::other("a worker failed"))?)
    })?;
    let mut all = Tally::default();
    for (route, tally) in routes.iter().zip(tallies.into_inner().map_err(|_| "a worker failed")?) {
        println!(
            "  {} rounds, {} completed, {} exchanges, {} surprises: {route}",
            tally.rounds,
            tally.completed,
            tally.exchanges,
            tally.surprises.len()
        );
        all.add(Tally { attempts: tally.rounds, met: tally.rounds, surprises: tally.surprises });
    }
    Ok(all)
}

impl RouteTally {
    fn add(&mut self, other: RouteTally) {
        self.rounds += other.rounds;
        self.completed += other.completed;
        self.exchanges += other.exchanges;
        self.surprises.extend(other.surprises);
    }
}

/// Copies the error for other threads.
fn other_error(why: Failure) -> io::Error {
    io::Error::other(why.to_string())
}

struct Arena {
    bench: Bench,
    /// Open file, so that no other program can detach the device.
    _device: File,
    _devices: Undo,
}

impl Arena {
    fn new(limits: &Bench) -> Result<Arena, Failure> {
        let place = tempfile::Builder::new().prefix("diskspd-races-").tempdir_in("/dev/shm")?;
        let bench = Bench { program: limits.program.clone(), routes: String::new(), place, ..*limits };
        bench.fresh()?;
        for folder in ["work", "work/arena", "victims"] {
            fs::create_dir(bench.at(folder))?;
        }
        fs::set_permissions(bench.at("work/arena"), PermissionsExt::from_mode(0o777))?;
        fs::write(bench.at("victims/image"), vec![7; IMAGE])?;
        fs::write(bench.at("victims/file"), PRECIOUS)?;
        fs::create_dir(bench.at("victims/folder"))?;
        fs::write(bench.at("work/t.dat"), vec![7; 1 << 20])?;
        let device = tool(&["losetup", "--find", "--show", &bench.at("victims/image").to_string_lossy()])?;
        let mut devices = Undo::default();
        devices.push(&["losetup", "--detach", &device]);
        let arena = Arena { bench, _device: File::open(&device)?, _devices: devices };
        for line in PREPARING {
            let ended = arena.run(line, "")?;
            if ended.code != Some(0) {
                return Err(format!("{line}: {}", ended.said).into());
            }
        }
        Ok(arena)
    }

    fn run(&self, line: &str, file: &str) -> Result<Ended, Failure> {
        let mut command = Command::new(&self.bench.program);
        command.args(words(line, file)).args(["--give-up", "3"]);
        self.bench.carry_out(command.current_dir(self.bench.at("work")), BOUND, |_| (), || ())
    }

    fn attempt(&self, route: &str, random: &mut Random) -> Result<RouteTally, Failure> {
        // The last name of the path changes, or a folder on the way.
        let file = if random.below(2) == 0 { "arena/x" } else { "arena/x/out" };
        // Two objects that alternate fit into a short time between a check and its use.
        let pair = [Object::Free, OBJECTS[random.below(OBJECTS.len())]];
        let objects = if random.below(3) == 0 { &OBJECTS[..] } else { &pair[..] };
        let (ended, exchanges) = self.round(route, file, objects, random)?;
        let wrong = self.wrong(&ended)?;
        let mut told = Tally::default();
        told.surprise(&format!("{route} ({file}, {objects:?})"), &wrong, &ended);
        if !wrong.is_empty() {
            self.restore()?;
        }
        let completed = usize::from(ended.code == Some(0));
        Ok(RouteTally { rounds: 1, completed, exchanges, surprises: told.surprises })
    }

    /// Runs the line while another thread exchanges the object of the name.
    fn round(
        &self,
        line: &str,
        file: &str,
        objects: &[Object],
        random: &mut Random,
    ) -> Result<(Ended, usize), Failure> {
        let stop = AtomicBool::new(false);
        let _ = fs::remove_file(self.bench.at("work/new.dat"));
        self.clear()?;
        std::thread::scope(|scope| {
            let attacker = scope.spawn(|| self.exchange_objects(&stop, objects, random));
            let ended = self.run(line, file);
            stop.store(true, Ordering::Relaxed);
            let swaps = attacker.join().map_err(|_| "the attacker failed")??;
            Ok((ended?, swaps))
        })
    }

    /// Exchanges the object of the name until the command has ended; returns the number of exchanges.
    fn exchange_objects(
        &self,
        stop: &AtomicBool,
        objects: &[Object],
        random: &mut Random,
    ) -> io::Result<usize> {
        let (name, spare) = (self.bench.at("work/arena/x"), self.bench.at("work/arena/.spare"));
        // A program waits for the reader of a pipe, as every program does.
        let mut readers = VecDeque::new();
        let mut swaps = 0;
        while !stop.load(Ordering::Relaxed) {
            let new = self.make(objects[swaps % objects.len()], &spare)?;
            match spare.symlink_metadata() {
                Ok(_) => match renameat_with(CWD, &spare, CWD, &name, RenameFlags::EXCHANGE) {
                    Ok(()) => {}
                    Err(_) => fs::rename(&spare, &name).or_else(|_| remove(&spare))?,
                },
                Err(_) => drop(fs::rename(&name, &spare)),
            }
            readers.extend(new);
            if readers.len() > READERS {
                readers.pop_front();
            }
            remove(&spare)?;
            swaps += 1;
            std::thread::sleep(Duration::from_micros(random.below(PAUSE_US) as u64));
        }
        Ok(swaps)
    }

    /// Creates an object. A pipe has a reader as long as the returned file is open.
    fn make(&self, object: Object, at: &Path) -> io::Result<Option<File>> {
        let victim = |name: &str| self.bench.at("victims").join(name);
        let foreign = |to: PathBuf| {
            symlink(to, at)?;
            lchown(at, Some(NOBODY_UID), Some(NOBODY_UID))
        };
        match object {
            Object::Free => fs::write(at, vec![1; IMAGE])?,
            Object::Image => symlink(victim("image"), at)?,
            Object::HardImage => fs::hard_link(victim("image"), at)?,
            Object::ForeignFile => foreign(victim("file"))?,
            Object::ForeignFolder => foreign(victim("folder"))?,
            Object::ForeignNothing => foreign(victim("new"))?,
            Object::Folder => fs::create_dir(at)?,
            Object::Pipe => {
                rustix::fs::mknodat(CWD, at, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o666), 0)?;
                let reader = open(at, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
                return Ok(Some(reader.into()));
            }
            Object::Nothing => {}
        }
        Ok(None)
    }

    fn wrong(&self, ended: &Ended) -> Result<Vec<String>, Failure> {
        let mut wrong = Vec::new();
        let victim = |name: &str| self.bench.at("victims").join(name);
        if fs::read(victim("image")).is_ok_and(|bytes| bytes != vec![7; IMAGE]) {
            wrong.push("the image of the device has changed".to_owned());
        }
        if !fs::read_to_string(victim("file")).is_ok_and(|text| text == PRECIOUS) {
            wrong.push("the other file has changed".to_owned());
        }
        if fs::read_dir(victim("folder"))?.count() > 0 || victim("new").exists() {
            wrong.push("a link led to a new file".to_owned());
        }
        let is_left = |name: &str| !name.starts_with('x') && name != ".spare";
        for entry in fs::read_dir(self.bench.at("work/arena"))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_left(&name) {
                wrong.push(format!("'{name}' is not removed"));
            }
        }
        match (ended.code, ended.signal) {
            (Some(0), _) => {}
            (Some(code), _) if CODES.contains(&code) && ended.said.contains("ERROR") => {}
            (Some(3), _) => {}
            (None, None) => wrong.push(format!("not over after {:.0} s", ended.took.as_secs_f64())),
            (code, signal) => wrong.push(format!("exit code {code:?}, signal {signal:?}")),
        }
        if ended.said.contains("panicked at") {
            wrong.push("a panic".into());
        }
        Ok(wrong)
    }

    /// Removes the objects of the last round.
    fn clear(&self) -> io::Result<()> {
        for folder in ["work/arena", "tmp", "home"] {
            for entry in fs::read_dir(self.bench.at(folder))? {
                remove(&entry?.path())?;
            }
        }
        Ok(())
    }

    /// Restores the content of the targets of the links.
    fn restore(&self) -> io::Result<()> {
        fs::write(self.bench.at("victims/image"), vec![7; IMAGE])?;
        fs::write(self.bench.at("victims/file"), PRECIOUS)?;
        remove(&self.bench.at("victims/new"))?;
        for entry in fs::read_dir(self.bench.at("victims/folder"))? {
            remove(&entry?.path())?;
        }
        Ok(())
    }
}

/// Removes the object with this name; the program may add files to a folder at the same time.
fn remove(at: &Path) -> io::Result<()> {
    for _ in 0..100 {
        let removed = match at.symlink_metadata() {
            Err(_) => return Ok(()),
            Ok(found) if found.is_dir() => fs::remove_dir_all(at),
            Ok(_) => fs::remove_file(at),
        };
        if removed.is_ok() {
            return Ok(());
        }
    }
    Err(io::Error::other(format!("cannot remove {}", at.display())))
}
