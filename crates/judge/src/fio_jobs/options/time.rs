//! When I/Os are done, how fast, and by whom.

use super::{FioForm, FioOption, near, near_unless, refused, same};

const FLOW: &str = "jobs can't be throttled by each other's progress";
const TARGET: &str = "a run doesn't search for the best depth or rate";
const SWEEP: &str = "use diskspd sweep with --slo, as in diskspd sweep -o1..128 --slo p99=5ms";
const STEADY: &str = "the run takes all of its runtime: it doesn't end earlier when it is steady";
const LOW: &str = "a run with a lower rate doesn't fail; the report has the rate that it reached";

pub(super) const ROWS: &[FioOption] = &[
    same("runtime", &["timeout"], FioForm::Seconds),
    same("time_based", &[], FioForm::Switch),
    same("ramp_time", &[], FioForm::Seconds),
    same("startdelay", &[], FioForm::Seconds),
    same("stonewall", &["wait_for_previous"], FioForm::Switch),
    same("wait_for", &[], FioForm::Text),
    same("numjobs", &[], FioForm::Number),
    same("thread", &["threads"], FioForm::Switch),
    same("rate", &[], FioForm::SizeEach),
    same("rate_iops", &[], FioForm::SizeEach),
    same("rate_process", &[], FioForm::Text),
    same("thinktime", &[], FioForm::Micros),
    same("thinktime_blocks", &[], FioForm::Number),
    same("thinktime_blocks_type", &[], FioForm::Text),
    same("cpus_allowed", &[], FioForm::Text),
    same("cpus_allowed_policy", &[], FioForm::Text),
    same("prioclass", &[], FioForm::Number),
    near("rate_cycle", &["ratecycle"], FioForm::Number, "a rate is kept evenly, I/O by I/O"),
    near("clocksource", &[], FioForm::Text, "times are those of the monotonic clock"),
    near("gtod_cpu", &[], FioForm::Number, "each thread reads the clock itself"),
    near("gtod_reduce", &[], FioForm::Switch, "all latencies are measured; the report states the cost"),
    near("job_start_clock_id", &[], FioForm::Number, "the report has the wall clock"),
    near_unless("continue_on_error", &[], FioForm::Text, &["none", "0"], "an I/O that fails ends the run"),
    near("exitall_on_error", &[], FioForm::Switch, "an error always ends the run"),
    near_unless("rate_min", &["ratemin"], FioForm::SizeEach, &["0"], LOW),
    near_unless("rate_iops_min", &[], FioForm::SizeEach, &["0"], LOW),
    refused("rate_ignore_thinktime", &[], &["0"], "thinktime and rate don't go together", "leave one out"),
    refused("thinktime_spin", &[], &["0"], "a pause uses no CPU time", "leave it out"),
    refused("thinkcycles", &[], &["0"], "a pause uses no CPU time", "leave it out"),
    refused(
        "thinktime_iotime",
        &[],
        &["0"],
        "pauses come after I/Os, not after a time",
        "use thinktime_blocks",
    ),
    refused("ramp_size", &[], &["0"], "the warm-up has a time, not an amount", "use ramp_time"),
    same("exitall", &[], FioForm::Switch),
    refused(
        "exit_what",
        &[],
        &[],
        "a time span ends for all of its jobs at once",
        "give all the same runtime",
    ),
    refused(
        "flow",
        &[],
        &["0"],
        FLOW,
        "for fixed shares of the I/Os use --mix with the line that diskspd \
                                        convert prints",
    ),
    refused("flow_id", &[], &[], FLOW, "leave it out"),
    refused("flow_watermark", &[], &[], FLOW, "leave it out"),
    refused("flow_sleep", &[], &[], FLOW, "leave it out"),
    refused("latency_target", &[], &["0"], TARGET, SWEEP),
    refused("latency_window", &[], &["0"], TARGET, SWEEP),
    refused("latency_percentile", &[], &[], TARGET, SWEEP),
    refused("latency_run", &[], &["0"], TARGET, SWEEP),
    near_unless(
        "max_latency",
        &[],
        FioForm::Text,
        &["0"],
        "a slow I/O doesn't end the run: the report has the maximum",
    ),
    near("steadystate", &["ss"], FioForm::Text, STEADY),
    near("steadystate_duration", &["ss_dur"], FioForm::Text, STEADY),
    near("steadystate_ramp_time", &["ss_ramp"], FioForm::Text, STEADY),
    near("steadystate_check_interval", &["ss_interval"], FioForm::Text, STEADY),
    refused("cpumask", &[], &[], "CPUs are listed by number", "use cpus_allowed"),
    same("numa_cpu_nodes", &[], FioForm::Text),
    same("numa_mem_policy", &[], FioForm::Text),
    refused("nice", &[], &["0"], "the priority of threads isn't set", "start the program with nice"),
    refused("prio", &[], &["0"], "only three I/O priorities exist", "use prioclass=3 for the idle class"),
    refused("priohint", &[], &["0"], "I/O priority hints aren't supported", "leave it out"),
];
