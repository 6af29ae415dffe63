//! Options without an equivalent, in addition to the refused options of the other tables.

use super::{FioOption, refused_option};

const ZONED: &str = "fio chooses zones by its own rules, and lays zones over files";
const PRIORITY: &str = "all I/Os of a thread have one priority";
const PLACEMENT: &str = "fio changes the place from write to write, here each thread keeps one";
const REPLAY: &str = "a job file cannot contain a replay";
const TRIMS: &str = "a share of the reads or writes cannot be turned into discards, only a share of all \
    I/Os";
const HOOKS: &str = "a run starts no other program";
const RIGHTS: &str = "the program keeps the rights that it was started with";
const ERRORS: &str = "an I/O that fails ends the run, and the job expects some";
const PROTECTED: &str = "per-block metadata is not supported";

const fn zone_option(name: &'static str, harmless: &'static [&'static str]) -> FioOption {
    refused_option(
        name,
        &[],
        harmless,
        ZONED,
        "leave it out; for a zoned device add --zoned to the line that diskspd convert prints, else give \
         offset and size",
    )
}

const fn placement_option(name: &'static str, aliases: &'static [&'static str]) -> FioOption {
    refused_option(
        name,
        aliases,
        &["0"],
        PLACEMENT,
        "leave it out; add --fdp 0,1 or --write-stream 1,2 to the line that diskspd convert prints",
    )
}

const fn replay_option(name: &'static str) -> FioOption {
    refused_option(name, &[], &[], REPLAY, "use diskspd --replay FILE TARGET, which reads fio's iologs too")
}

pub(super) const ROWS: &[FioOption] = &[
    zone_option("zonecapacity", &["0"]),
    zone_option("zonerange", &["0"]),
    zone_option("zoneskip", &["0"]),
    zone_option("read_beyond_wp", &["0"]),
    zone_option("ignore_zone_limits", &["0"]),
    zone_option("zone_reset_threshold", &["0"]),
    zone_option("zone_reset_frequency", &["0"]),
    zone_option("recover_zbd_write_error", &["0"]),
    zone_option("write_zone_remainder", &["0"]),
    placement_option("fdp", &[]),
    placement_option("dataplacement", &["data_placement"]),
    placement_option("plid_select", &["fdp_pli_select"]),
    placement_option("plids", &["fdp_pli"]),
    placement_option("dp_scheme", &[]),
    refused_option("cmdprio", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused_option("cmdprio_class", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused_option("cmdprio_percentage", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused_option("cmdprio_bssplit", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused_option("cmdprio_split", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused_option("cmdprio_hint", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    replay_option("read_iolog"),
    replay_option("read_iolog_chunked"),
    replay_option("replay_no_stall"),
    replay_option("replay_redirect"),
    replay_option("replay_scale"),
    replay_option("replay_align"),
    replay_option("replay_time_scale"),
    replay_option("replay_skip"),
    replay_option("merge_blktrace_file"),
    replay_option("merge_blktrace_scalars"),
    replay_option("merge_blktrace_iters"),
    refused_option(
        "trim_percentage",
        &[],
        &["0"],
        TRIMS,
        "use rw=randtrim in a concurrent job, or add --trim to the line that diskspd convert prints",
    ),
    refused_option("trim_verify_zero", &[], &["0"], TRIMS, "leave it out"),
    refused_option("trim_backlog", &[], &["0"], TRIMS, "leave it out"),
    refused_option("trim_backlog_batch", &[], &["0"], TRIMS, "leave it out"),
    refused_option("exec_prerun", &[], &[], HOOKS, "start it before diskspd"),
    refused_option("exec_postrun", &[], &[], HOOKS, "start it after diskspd"),
    refused_option("uid", &[], &[], RIGHTS, "start diskspd as that user"),
    refused_option("gid", &[], &[], RIGHTS, "start diskspd with that group"),
    refused_option("cgroup", &[], &[], "no control group is made", "start diskspd with systemd-run --scope"),
    refused_option("cgroup_weight", &[], &[], "no control group is made", "use systemd-run --scope"),
    refused_option("cgroup_nodelete", &[], &[], "no control group is made", "use systemd-run --scope"),
    refused_option("ignore_error", &[], &[], ERRORS, "leave it out"),
    refused_option(
        "profile",
        &[],
        &[],
        "fio's built-in profiles are not supported",
        "diskspd preset lists ours",
    ),
    refused_option("comm", &[], &[], "thread names cannot be set", "leave it out"),
    refused_option("gpu_dev_id", &[], &[], "memory of graphics cards is not used", "leave it out"),
    refused_option("md_per_io_size", &[], &["0"], PROTECTED, "leave it out"),
    refused_option("pi_act", &[], &["1"], PROTECTED, "leave it out"),
    refused_option("pi_chk", &[], &[], PROTECTED, "leave it out"),
    refused_option("apptag", &[], &[], PROTECTED, "leave it out"),
    refused_option("apptag_mask", &[], &[], PROTECTED, "leave it out"),
];
