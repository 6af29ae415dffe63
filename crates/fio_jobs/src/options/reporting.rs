//! Options that change only fio's reports and logs.

use super::{FioForm, FioOption, approximate_option, same};

const REPORT: &str = "it changes fio's report alone; ours has its own form (--out, -L, -D)";
const LOGS: &str = "no such log is written; use --io-log, or -D with --out FILE.csv";

const fn report_option(name: &'static str, aliases: &'static [&'static str]) -> FioOption {
    approximate_option(name, aliases, FioForm::Text, REPORT)
}

const fn log_option(name: &'static str) -> FioOption {
    approximate_option(name, &[], FioForm::Text, LOGS)
}

pub(super) const ROWS: &[FioOption] = &[
    same("name", &[], FioForm::Text),
    same("description", &[], FioForm::Text),
    same("group_reporting", &[], FioForm::Switch),
    same("new_group", &[], FioForm::Switch),
    same("kb_base", &[], FioForm::Number),
    same("unit_base", &[], FioForm::Number),
    report_option("stats", &[]),
    report_option("percentile_list", &[]),
    report_option("clat_percentiles", &[]),
    report_option("lat_percentiles", &[]),
    report_option("slat_percentiles", &[]),
    report_option("significant_figures", &[]),
    report_option("disk_util", &[]),
    report_option("disable_lat", &[]),
    report_option("disable_clat", &[]),
    report_option("disable_slat", &[]),
    report_option("disable_bw_measurement", &["disable_bw"]),
    report_option("unified_rw_reporting", &[]),
    report_option("block_error_percentiles", &[]),
    report_option("bwavgtime", &[]),
    report_option("iopsavgtime", &[]),
    report_option("error_dump", &[]),
    log_option("write_bw_log"),
    log_option("write_lat_log"),
    log_option("write_iops_log"),
    log_option("write_hist_log"),
    log_option("write_iolog"),
    log_option("per_job_logs"),
    log_option("log_entries"),
    log_option("log_avg_msec"),
    log_option("log_hist_msec"),
    log_option("log_hist_coarseness"),
    log_option("log_window_value"),
    log_option("log_max_value"),
    log_option("log_offset"),
    log_option("log_prio"),
    log_option("log_issue_time"),
    log_option("log_compression"),
    log_option("log_compression_cpus"),
    log_option("log_store_compressed"),
    log_option("log_alternate_epoch"),
    log_option("log_unix_epoch"),
    log_option("log_alternate_epoch_clock_id"),
];
