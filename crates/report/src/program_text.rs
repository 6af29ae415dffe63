//! The head of the text report about another program's I/O, instead of the parameters of a run.

use diskspd_figures::units::{amount, seconds_of_ns};
use diskspd_profile::Profile;
use diskspd_results::{DeviceView, EngineFacts, JudgedProgram, SizeClass, SortedCalls, TargetUser};

/// Smaller errors are printed as 0.
const MIN_ERROR: f64 = 0.0005;

pub(super) fn head(profile: &Profile, program: &JudgedProgram) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(b"\nCommand Line: ");
    out.extend_from_slice(profile.command_line.as_bytes());
    out.extend_from_slice(b"\n\nJudged program:\n\n");
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        put!(out, "\tstorage: {}\n", target.path);
    }
    if program.words.is_empty() {
        program.users.iter().for_each(|user| write_user(&mut out, user));
        program.device_view.iter().for_each(|view| write_view(&mut out, view));
        out.push(b'\n');
        return out;
    }
    put!(out, "\tcommand: {}\n", program.line());
    if let Some(code) = program.exit_code {
        put!(out, "\texit code: {code}\n");
    }
    for file in &program.files {
        put!(out, "\tfile: {file}\n");
    }
    put!(out, "\tprocesses: {}, CPU time {:.2} s\n", program.processes, seconds_of_ns(program.cpu_ns));
    let cache = if program.bypasses_cache { "bypassed (O_DIRECT)" } else { "in use" };
    put!(out, "\tpage cache: {cache}\n");
    let io = &program.counted;
    put!(
        out,
        "\trequested of block devices: {} read, {} written or made dirty\n",
        amount(io.read_bytes),
        amount(io.write_bytes)
    );
    write_calls(&mut out, "read calls", &program.read);
    write_calls(&mut out, "write calls", &program.write);
    program.engines.iter().for_each(|engine| write_engine(&mut out, engine));
    program.device_view.iter().for_each(|view| write_view(&mut out, view));
    put!(out, "\tobserver: {:.2} % of a CPU\n\n", program.observer_cpu_share * 100.0);
    out
}

fn write_calls(out: &mut Vec<u8>, name: &str, calls: &SortedCalls) {
    put!(
        out,
        "\t{name}: {} on storage, {} on files without a device, {} elsewhere, {} unclear\n",
        amount(calls.storage.bytes),
        amount(calls.without_device.bytes),
        amount(calls.elsewhere.bytes),
        amount(calls.unclear.bytes)
    );
}

fn write_engine(out: &mut Vec<u8>, facts: &EngineFacts) {
    let name = facts.engine.describe();
    match facts.ios {
        Some(ios) if ios.error_share >= MIN_ERROR => put!(
            out,
            "\t{name}: {} reads and {} writes, estimated with an error of {:.1} % (counted in {:.0} % of the \
             time)\n",
            ios.reads,
            ios.writes,
            ios.error_share * 100.0,
            ios.counted_share * 100.0
        ),
        Some(ios) => put!(out, "\t{name}: {} reads and {} writes\n", ios.reads, ios.writes),
        None => put!(out, "\t{name}: not counted: {}\n", facts.uncounted_reason.as_deref().unwrap_or("-")),
    }
}

fn write_user(out: &mut Vec<u8>, user: &TargetUser) {
    let (name, pid) = (&user.name, user.pid);
    match user.read_bytes.zip(user.write_bytes) {
        Some((read, written)) => put!(
            out,
            "\tuser: {name} ({pid}), {} read, {} written or made dirty\n",
            amount(read),
            amount(written)
        ),
        None => put!(out, "\tuser: {name} ({pid}), counters not readable\n"),
    }
}

fn write_view(out: &mut Vec<u8>, view: &DeviceView) {
    let classes = |classes: &[SizeClass], name: fn(u64) -> String| {
        let all: u64 = classes.iter().map(|class| class.count).sum();
        let share = |class: &SizeClass| {
            format!("{} {:.0} %", name(class.from), class.count as f64 / all.max(1) as f64 * 100.0)
        };
        classes.iter().map(share).collect::<Vec<_>>().join(", ")
    };
    if !view.in_flight.is_empty() {
        let name = |from: u64| if from < 2 { from.to_string() } else { format!("{from}..{}", 2 * from - 1) };
        put!(out, "\tI/Os in flight: {} of the samples\n", classes(&view.in_flight, name));
    }
    let Some(traced) = &view.requests else {
        put!(out, "\trequests: not traced: {}\n", view.untraced_reason.as_deref().unwrap_or("-"));
        return;
    };
    for (direction, shape) in [("reads", &traced.read), ("writes", &traced.write)] {
        if shape.requests > 0 {
            put!(
                out,
                "\t{direction} of {}: {:.0} % sequential, sizes from {}\n",
                traced.device,
                shape.sequential as f64 / shape.requests as f64 * 100.0,
                classes(&shape.sizes, amount)
            );
        }
    }
    put!(
        out,
        "\ttraced: {} requests in {:.1} % of the time, {} events lost\n",
        traced.read.requests + traced.write.requests,
        traced.traced_share * 100.0,
        traced.lost
    );
}
