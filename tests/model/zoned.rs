//! Tests of `--zoned`: permitted and rejected combinations.

#![allow(clippy::unwrap_used)]

use crate::common::in_process::profile_and_options;
use diskspd::profile::validate;

#[test]
fn options_incompatible_with_zones_are_refused() {
    for (line, rules) in [
        ("--zoned -w100 -Sh -o8 -t2 a.dat", &[][..]),
        ("--zoned -r4K -w50 -g5i --fsync-every 2 -L a.dat", &[]),
        ("--zoned -F2 -O4 -w100 --until-written 1M a.dat", &[]),
        ("--zoned -Sm a.dat", &["Z1"]),
        ("--zoned -rs50 a.dat", &["Z2"]),
        ("--zoned -si -t2 a.dat", &["Z3"]),
        ("--zoned -p -o2 a.dat", &["Z3"]),
        ("--zoned -T1M -t2 a.dat", &["Z3"]),
        ("--zoned -s128K a.dat", &["Z4"]),
        ("--zoned -r --distribution zipf:1.1 a.dat", &["Z5"]),
        ("--zoned -r -rdpct50/50:50/50 a.dat", &["Z5"]),
        ("--zoned --bs-split 4K/50:64K/50 a.dat", &["Z6"]),
        ("--zoned --trim 10 a.dat", &["Z7"]),
        ("--zoned --write-zeroes 10 a.dat", &["Z7"]),
        ("--zoned -w50 --fua 10 a.dat", &["Z7"]),
        ("--zoned --nowait a.dat", &["Z8"]),
        ("--zoned -w1 -Su --atomic a.dat", &["Z8"]),
        ("--zoned -x -o2 a.dat", &["Z9"]),
        ("--zoned -F2 -O4 a.dat b.dat", &["Z10"]),
        ("--zoned -w50 -Su --verify a.dat", &["Z11"]),
        ("--zoned -Su --poll a.dat", &["Z11"]),
        ("--zoned --engine null a.dat", &["Z11"]),
        ("--zoned --engine sim --prefill a.dat", &["Z11", "Z11"]),
    ] {
        let (profile, run_options) = profile_and_options(line);
        let found = validate::validate(&profile, false).into_iter();
        let found = found.chain(validate::run_options(&run_options, &profile));
        let mut found: Vec<_> =
            found.map(|finding| finding.name).filter(|name| name.starts_with('Z')).collect();
        found.dedup_by(|a, b| a == b && *a != "Z11");
        assert_eq!(found, rules, "{line}");
    }
}
