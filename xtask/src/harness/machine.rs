//! The machine of a measurement, which is part of every result.

use diskspd::host;

/// Returns CPU, number of CPUs, kernel, and the command, one line each.
pub fn describe() -> Vec<String> {
    let system = host::snapshot();
    let cpus = system.topology.kernel_cpus().count();
    let command: Vec<String> = std::env::args().skip(1).collect();
    vec![
        format!("{}, {cpus} CPUs, Linux {}", system.cpu_model, system.kernel),
        format!("cargo xtask {}", command.join(" ")),
    ]
}

pub fn print(markdown: bool) {
    let lines = describe();
    match markdown {
        true => println!("{}. `{}`\n", lines[0], lines[1]),
        false => println!("{}\n", lines.join("\n")),
    }
}
