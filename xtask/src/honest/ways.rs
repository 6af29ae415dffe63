//! Variants of honest runs: engines, caches and workloads.

use super::places::Location;

pub const WAYS: &[&str] = &[
    "--engine uring -Sb",
    "--engine uring -Su",
    "--engine uring -Sh",
    "--engine uring -Sbw",
    "--engine aio -Sb",
    "--engine aio -Su",
    "--engine aio -Sh",
    "--engine sync -Sb",
    "--engine sync -Su",
    "--engine sync -Sh",
    "--engine mmap -Sm",
    "--engine mmap -Sm -Nv",
];

/// Whether it works on files alone.
pub fn is_mapped(way: usize) -> bool {
    WAYS[way].contains("-Sm")
}

/// Returns the location of a way's run in a round, another one each time; `None` = not possible here.
pub fn place_of(places: &[Location], way: usize, round: usize) -> Option<usize> {
    let fits = |place: &Location| !is_mapped(way) || !place.target.starts_with("/dev");
    let fitting: Vec<usize> = (0..places.len()).filter(|number| fits(&places[*number])).collect();
    fitting.get((round + way) % fitting.len().max(1)).copied()
}

const SHAPES: &[&[&str]] = &[
    &["-b4K", "-r", "-w50", "-o8", "-t2"],
    &["-b8K", "-r4K", "-w60", "-o4", "-t3"],
    &["-b64K", "-s", "-w50", "-o2", "-t2"],
    &["-b16K", "-si", "-w70", "-o4", "-t3"],
    &["-b12K", "-r4K", "-w50", "-o8", "-t2"],
    &["-r", "-w50", "-o8", "-t2", "--bs-split", "4K/60:8K/30:64K/10"],
    &["-o4", "-t2", "--mix", "70:-b8K -r -w30; 30:-b64K -s -w100"],
    &["-b4K", "-r", "-w50", "-O8", "-F3"],
    &["-b4K", "-r", "-rdpct80/10", "-w50", "-o16", "-t2"],
    &["-b4K", "-B64K", "-r", "-w90", "-t4"],
    &["-b20K", "-s4K", "-w60", "-o3", "-t2"],
    &["-b4K", "-rs30", "-w50", "-o4", "-t2"],
];
/// Ways with sectors of 512 bytes.
const SMALL: &[&[&str]] = &[
    &["-b512", "-r", "-w50", "-o8", "-t2"],
    &["-b1536", "-r512", "-w60", "-o4", "-t3"],
    &["-b7K", "-s", "-w50", "-o4", "-t2"],
];

pub fn words(place: &Location, way: usize, round: usize, flushes: bool) -> (Vec<String>, bool) {
    let shapes: Vec<&&[&str]> =
        SHAPES.iter().chain(SMALL.iter().filter(|_| place.has_small_sectors)).collect();
    // 5 has no divisor in common with their numbers, which are 12 and 15, but for the latter: the way adds
    // the rest.
    let shape = shapes[(round * 7 + way) % shapes.len()];
    let mut words: Vec<String> = WAYS[way].split(' ').map(str::to_owned).collect();
    words.extend(shape.iter().map(|word| (*word).to_owned()));
    let is_mapped = is_mapped(way);
    // Completions one by one, each issued anew by itself.
    if !is_mapped && !shape.contains(&"-F3") && round % 5 == 3 && !WAYS[way].contains("sync") {
        words.push("-x".into());
    }
    let durable = ["-Sh", "-Sbw", "-Nv"].iter().any(|way| words.iter().any(|word| word == way));
    let flushes = flushes && !durable && !is_mapped && !words.iter().any(|word| word == "-x");
    if flushes {
        words.extend(["--fsync-every".into(), "4".into()]);
    }
    (words, durable || flushes)
}
