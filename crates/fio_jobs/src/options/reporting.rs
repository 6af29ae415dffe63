//! Options that change only fio's reports and logs.

use super::{FioForm, FioOption, near, same};

const REPORT: &str = "it changes fio's report alone; ours has its own form (--out, -L, -D)";
const LOGS: &str = "no such log is written; use --io-log, or -D with --out FILE.csv";

const fn report(name: &'static str, aliases: &'static [&'static str]) -> FioOption {
    near(name, aliases, FioForm::Text, REPORT)
}

const fn log(name: &'static str) -> FioOption {
    near(name, &[], FioForm::Text, LOGS)
}

pub(super) const ROWS: &[FioOption] = &[
    same("name", &[], FioForm::Text),
    same("description", &[], FioForm::Text),
    same("group_reporting", &[], FioForm::Switch),
    same("new_group", &[], FioForm::Switch),
    same("kb_base", &[], FioForm::Number),
    same("unit_base", &[], FioForm::Number),
    report("stats", &[]),
    report("percentile_list", &[]),
    report("clat_percentiles", &[]),
    report("lat_percentiles", &[]),
    report("slat_percentiles", &[]),
    report("significant_figures", &[]),
    report("disk_util", &[]),
    report("disable_lat", &[]),
    report("disable_clat", &[]),
    report("disable_slat", &[]),
    report("disable_bw_measurement", &["disable_bw"]),
    report("unified_rw_reporting", &[]),
    report("block_error_percentiles", &[]),
    report("bwavgtime", &[]),
    report("iopsavgtime", &[]),
    report("error_dump", &[]),
    log("write_bw_log"),
    log("write_lat_log"),
    log("write_iops_log"),
    log("write_hist_log"),
    log("write_iolog"),
    log("per_job_logs"),
    log("log_entries"),
    log("log_avg_msec"),
    log("log_hist_msec"),
    log("log_hist_coarseness"),
    log("log_window_value"),
    log("log_max_value"),
    log("log_offset"),
    log("log_prio"),
    log("log_issue_time"),
    log("log_compression"),
    log("log_compression_cpus"),
    log("log_store_compressed"),
    log("log_alternate_epoch"),
    log("log_unix_epoch"),
    log("log_alternate_epoch_clock_id"),
];
