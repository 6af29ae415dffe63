//! A line for each option of each command that names a file to write. `xtask` uses them, too.

pub const OUTPUTS: [(&str, &str, &str); 32] = [
    ("", "--out", "--out json:{} RUN"),
    ("", "--stream", "--stream {} RUN"),
    ("", "--io-log", "--io-log {} RUN"),
    ("", "--journal", "STAMPED --journal {} new.dat"),
    ("rerun", "--out", "rerun --out json:{} a.json"),
    ("rerun", "--stream", "rerun --stream {} a.json"),
    ("rerun", "--io-log", "rerun --io-log {} a.json"),
    ("rerun", "--journal", "rerun --journal {} verified.json"),
    ("report", "--html", "report a.json b.json --html {}"),
    ("report", "--out", "report a.json --out json:{}"),
    ("merge", "--out", "merge a.json b.json --out json:{}"),
    ("merge", "--per-host", "merge a.json b.json --out xml:{} --per-host"),
    ("judge", "--out", "judge --out json:{} -- true"),
    ("judge", "--stream", "judge --stream {} -- true"),
    ("compare", "--json", "compare a.json b.json --json {}"),
    ("compare", "--html", "compare a.json b.json --html {}"),
    ("compare", "", "compare --json {} --repeat 2 -- -o1 OPTIONS :: -o2 SIM"),
    ("compare", "--out", "compare a.json b.json --out junit:{}"),
    (
        "suite",
        "--json",
        "suite fleet-peak t.dat --store store --repeat 1 --json {} -- --engine sim -c1M -W0 -d1 -g1000i",
    ),
    (
        "suite",
        "--html",
        "suite fleet-peak t.dat --store store --repeat 1 --html {} -- --engine sim -c1M -W0 -d1 -g1000i",
    ),
    (
        "suite",
        "--out",
        "suite fleet-peak t.dat --store store --repeat 1 --out json:{} -- --engine sim -c1M -W0 -d1",
    ),
    ("baseline", "--json", "baseline check b --store store --against b.json --json {}"),
    ("baseline", "--html", "baseline check b --store store --against b.json --html {}"),
    ("baseline", "--out", "baseline check b --store store --repeat 1 --out summary:{}"),
    ("sweep", "--csv", "sweep --csv {} -o1..2 SIM"),
    ("sweep", "--json", "sweep --json {} -o1..2 SIM"),
    ("sweep", "--html", "sweep --html {} -o1..2 SIM"),
    ("history", "--html", "history list --store store --html {}"),
    ("history", "", "history trend --store store --html {}"),
    (
        "precondition",
        "--out",
        "precondition t.dat --standard custom --round 1 --out json:{} -- --engine sim -c1M -w100 -g100i",
    ),
    ("trace", "--out", "trace --from log.csv --out {}"),
    ("preset", "", "--out text:{} RUN"),
];

pub const PREPARING: [&str; 4] = [
    "--out a.json --io-log log.csv --save --store store RUN",
    "--out b.json RUN",
    "STAMPED --out verified.json --journal journal new.dat",
    "baseline set b a.json --store store",
];

/// Options of a simulated run, which takes no time.
const OPTIONS: &str = "--engine sim -c1M -b4K -r -L -W0 -d1 -g1000i";

/// Returns the arguments of a line that writes this file.
pub fn words(line: &str, file: &str) -> Vec<String> {
    let line = line.replace("STAMPED", "-c64K -b4K -w100 -Sw -W0 -d60 --until-written 64K --verify");
    let line = line.replace("RUN", "-o4 SIM").replace("SIM", "OPTIONS t.dat").replace("OPTIONS", OPTIONS);
    line.split(' ').map(|word| word.replace("{}", file)).collect()
}
