//! Six uses of the library: `cargo run --example library NAME`. Each is one file, and none needs a device or special rights.

mod compare;
mod engine;
mod progress;
mod read;
mod simulated;
mod sweep;

use std::error::Error;
use std::io::Write;

pub type Example = fn(&mut dyn Write) -> Result<(), Box<dyn Error>>;

/// Name, subject, function.
pub const EXAMPLES: &[(&str, &str, Example)] = &[
    ("profile", "a profile built in code, and a percentile of its run", simulated::run),
    ("progress", "a listener that draws progress", progress::run),
    ("sweep", "a sweep over queue depths", sweep::run),
    ("read", "a record, written and read again", read::run),
    ("engine", "an engine of your own in a test", engine::run),
    ("compare", "two sets of runs, compared", compare::run),
];

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut output = std::io::stdout();
    match EXAMPLES.iter().find(|(known, ..)| *known == name) {
        Some((_, _, run)) => run(&mut output),
        None => {
            let lines = EXAMPLES.iter().map(|(name, subject, _)| format!("{name:<10}{subject}\n"));
            Ok(write!(output, "{}", lines.collect::<String>())?)
        }
    }
}
