//! Options for the written data and its verification.

use super::{FioForm, FioOption, approximate_option, near_unless, refused_option, same};

const STAMPS: &str = "sectors carry verification stamps, no pattern";
const CHECKED_ON_READ: &str = "every sector is checked as it is read, by this program's stamp";
const BACKLOG: &str = "sectors are checked when they are read, not after more writes";
const READ_BACK_REASON: &str = "all data is read back after the time span, not between writes";
const WORKING_SET: &str = "duplicates repeat one of the units written before";

pub(super) const ROWS: &[FioOption] = &[
    same("zero_buffers", &[], FioForm::Switch),
    same("refill_buffers", &[], FioForm::Switch),
    same("scramble_buffers", &[], FioForm::Switch),
    same("buffer_pattern", &[], FioForm::Text),
    same("buffer_compress_percentage", &[], FioForm::Number),
    approximate_option(
        "buffer_compress_chunk",
        &[],
        FioForm::Size,
        "content compresses in units of 4 KiB: random bytes first, then zeros",
    ),
    same("dedupe_percentage", &[], FioForm::Number),
    same("mem", &["iomem"], FioForm::Text),
    same("verify", &[], FioForm::Text),
    same("do_verify", &[], FioForm::Switch),
    approximate_option("verify_fatal", &[], FioForm::Switch, "a run goes on to its end; the exit code is 4"),
    approximate_option(
        "verify_dump",
        &[],
        FioForm::Switch,
        "the report names each wrong sector; no file is written",
    ),
    approximate_option(
        "verify_async",
        &[],
        FioForm::Number,
        "sectors are checked by the thread that has read them",
    ),
    approximate_option("verify_interval", &[], FioForm::Size, CHECKED_ON_READ),
    approximate_option("verify_offset", &[], FioForm::Size, CHECKED_ON_READ),
    approximate_option("verifysort", &[], FioForm::Switch, "the written data is read back sequentially"),
    approximate_option("verifysort_nr", &[], FioForm::Number, "the written data is read back sequentially"),
    approximate_option("verify_write_sequence", &[], FioForm::Switch, "a sector's version is always checked"),
    approximate_option("verify_header_seed", &[], FioForm::Switch, CHECKED_ON_READ),
    refused_option(
        "verify_only",
        &[],
        &["0"],
        "fio's verification headers cannot be read",
        "write with --verify, then --verify=read",
    ),
    refused_option("verify_pattern", &[], &[], STAMPS, "leave it out"),
    refused_option("verify_pattern_interval", &[], &[], STAMPS, "leave it out"),
    near_unless("verify_backlog", &[], FioForm::Number, &["0"], READ_BACK_REASON),
    near_unless("verify_backlog_batch", &[], FioForm::Number, &["0"], READ_BACK_REASON),
    refused_option(
        "verify_async_cpus",
        &[],
        &[],
        "sectors are checked by the thread that has read them",
        "leave it out",
    ),
    refused_option("verify_policy", &[], &[], BACKLOG, "leave it out"),
    refused_option("experimental_verify", &[], &["0"], "fio does not document its effect", "leave it out"),
    refused_option(
        "verify_state_load",
        &[],
        &["0"],
        "fio's state cannot be read",
        "use --journal and verify-after",
    ),
    approximate_option(
        "verify_state_save",
        &[],
        FioForm::Switch,
        "no state is saved; --journal records durable writes",
    ),
    refused_option("dedupe_mode", &[], &["repeat"], WORKING_SET, "leave it out"),
    refused_option("dedupe_working_set_percentage", &[], &[], WORKING_SET, "leave it out"),
    refused_option("dedupe_global", &[], &["0"], "each thread repeats its own units", "leave it out"),
    refused_option("iomem_align", &["mem_align"], &["0"], "buffers begin at pages", "leave it out"),
    refused_option("hugepage-size", &[], &[], "huge pages have the default size", "leave it out"),
    refused_option(
        "lockmem",
        &[],
        &["0"],
        "memory cannot be reserved to shrink the page cache",
        "leave it out",
    ),
];
