//! Activity of the machine at the time of the check.

use crate::root::Root;
use diskspd_machine::environment::Load;

pub(super) fn read(root: &Root) -> Load {
    let stat = root.text("/proc/stat").unwrap_or_default();
    let running = stat.lines().find_map(|line| line.strip_prefix("procs_running "));
    let average = root.text("/proc/loadavg").unwrap_or_default();
    Load {
        running: running.and_then(|text| text.trim().parse::<u64>().ok()).map(|all| all.saturating_sub(1)),
        average: average.split(' ').next().and_then(parse_hundredths),
        cpu_pressure: read_pressure(root, "cpu"),
        io_pressure: read_pressure(root, "io"),
        swap_used: swap_used(root),
    }
}

/// Reads a pressure from a line such as `some avg10=1.53 avg60=..`.
fn read_pressure(root: &Root, of: &str) -> Option<u64> {
    let text = root.text(format!("/proc/pressure/{of}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("some avg10="))?;
    parse_hundredths(line.split(' ').next()?)
}

fn parse_hundredths(text: &str) -> Option<u64> {
    let (whole, rest) = text.split_once('.')?;
    let rest: u64 = rest.parse().ok().filter(|&rest| rest < 100)?;
    whole.parse::<u64>().ok()?.checked_mul(100)?.checked_add(rest)
}

fn swap_used(root: &Root) -> Option<u64> {
    let text = root.text("/proc/meminfo")?;
    let kib = |name: &str| -> Option<u64> {
        let value = text.lines().find_map(|line| line.strip_prefix(name))?;
        value.split_ascii_whitespace().next()?.parse().ok()
    };
    kib("SwapTotal:")?.checked_sub(kib("SwapFree:")?)?.checked_mul(1024)
}
