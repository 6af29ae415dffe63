//! Options without an equivalent, in addition to the refused options of the other tables.

use super::{FioOption, refused};

const ZONED: &str = "fio chooses zones by rules of its own, and lays zones over files";
const PRIORITY: &str = "all I/Os of a thread have one priority";
const PLACEMENT: &str = "fio changes the place from write to write, here each thread keeps one";
const REPLAY: &str = "a job file can't contain a replay";
const TRIMS: &str = "a share of the reads or writes can't be turned into discards, only a share of all I/Os";
const HOOKS: &str = "a run starts no other program";
const RIGHTS: &str = "the program keeps the rights that it was started with";
const ERRORS: &str = "an I/O that fails ends the run, and the job expects some";
const PROTECTED: &str = "per-block metadata isn't supported";

const fn zoned(name: &'static str, harmless: &'static [&'static str]) -> FioOption {
    refused(
        name,
        &[],
        harmless,
        ZONED,
        "leave it out; for a zoned device add --zoned to the line that diskspd convert prints, else give \
         offset and size",
    )
}

const fn placed(name: &'static str, aliases: &'static [&'static str]) -> FioOption {
    refused(
        name,
        aliases,
        &["0"],
        PLACEMENT,
        "leave it out; add --fdp 0,1 or --write-stream 1,2 to the line that diskspd convert prints",
    )
}

const fn replayed(name: &'static str) -> FioOption {
    refused(name, &[], &[], REPLAY, "use diskspd --replay FILE TARGET, which reads fio's iologs too")
}

pub(super) const ROWS: &[FioOption] = &[
    zoned("zonecapacity", &["0"]),
    zoned("zonerange", &["0"]),
    zoned("zoneskip", &["0"]),
    zoned("read_beyond_wp", &["0"]),
    zoned("ignore_zone_limits", &["0"]),
    zoned("zone_reset_threshold", &["0"]),
    zoned("zone_reset_frequency", &["0"]),
    zoned("recover_zbd_write_error", &["0"]),
    zoned("write_zone_remainder", &["0"]),
    placed("fdp", &[]),
    placed("dataplacement", &["data_placement"]),
    placed("plid_select", &["fdp_pli_select"]),
    placed("plids", &["fdp_pli"]),
    placed("dp_scheme", &[]),
    refused("cmdprio", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused("cmdprio_class", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused("cmdprio_percentage", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused("cmdprio_bssplit", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused("cmdprio_split", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    refused("cmdprio_hint", &[], &["0"], PRIORITY, "use prioclass for all I/Os of a job"),
    replayed("read_iolog"),
    replayed("read_iolog_chunked"),
    replayed("replay_no_stall"),
    replayed("replay_redirect"),
    replayed("replay_scale"),
    replayed("replay_align"),
    replayed("replay_time_scale"),
    replayed("replay_skip"),
    replayed("merge_blktrace_file"),
    replayed("merge_blktrace_scalars"),
    replayed("merge_blktrace_iters"),
    refused(
        "trim_percentage",
        &[],
        &["0"],
        TRIMS,
        "use rw=randtrim in a concurrent job, or add --trim to the line that diskspd convert prints",
    ),
    refused("trim_verify_zero", &[], &["0"], TRIMS, "leave it out"),
    refused("trim_backlog", &[], &["0"], TRIMS, "leave it out"),
    refused("trim_backlog_batch", &[], &["0"], TRIMS, "leave it out"),
    refused("exec_prerun", &[], &[], HOOKS, "start it before diskspd"),
    refused("exec_postrun", &[], &[], HOOKS, "start it after diskspd"),
    refused("uid", &[], &[], RIGHTS, "start diskspd as that user"),
    refused("gid", &[], &[], RIGHTS, "start diskspd with that group"),
    refused("cgroup", &[], &[], "no control group is made", "start diskspd with systemd-run --scope"),
    refused("cgroup_weight", &[], &[], "no control group is made", "use systemd-run --scope"),
    refused("cgroup_nodelete", &[], &[], "no control group is made", "use systemd-run --scope"),
    refused("ignore_error", &[], &[], ERRORS, "leave it out"),
    refused("profile", &[], &[], "fio's built-in profiles are not known", "diskspd preset lists ours"),
    refused("comm", &[], &[], "thread names can't be set", "leave it out"),
    refused("gpu_dev_id", &[], &[], "memory of graphics cards is not used", "leave it out"),
    refused("md_per_io_size", &[], &["0"], PROTECTED, "leave it out"),
    refused("pi_act", &[], &["1"], PROTECTED, "leave it out"),
    refused("pi_chk", &[], &[], PROTECTED, "leave it out"),
    refused("apptag", &[], &[], PROTECTED, "leave it out"),
    refused("apptag_mask", &[], &[], PROTECTED, "leave it out"),
];
