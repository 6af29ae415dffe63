//! Tests of `--fdp` and `--write-stream`: permitted and rejected combinations.

#![allow(clippy::unwrap_used)]

use crate::common::in_process::profile_and_options;
use diskspd::profile::validate;

#[test]
fn options_incompatible_with_placement_are_refused() {
    for (line, rules) in [
        ("--fdp 0 -w1 a.dat", &[][..]),
        ("--fdp 0-3,7 -w100 -t4 -T1G --write-hint short a.dat", &[]),
        ("--fdp 0 --mix 1:-w0;1:-w100 a.dat", &[]),
        ("--write-stream 1,2 -w50 -Su --trim 5 a.dat", &[]),
        ("--fdp 0 a.dat", &["A11"]),
        ("--fdp 0 --trim 10 a.dat", &["A11"]),
        ("--write-stream 1 -w0 a.dat", &["A12"]),
        ("--write-stream 1 -w1 -Sm a.dat", &["A13"]),
        ("--write-stream 1 -w1 --write-hint long a.dat", &["A14"]),
        ("--fdp 0 -w1 --engine sim a.dat", &["A7"]),
        ("--write-stream 1 -w1 --engine null a.dat", &["A7"]),
    ] {
        let (profile, run_options) = profile_and_options(line);
        let found = validate::validate(&profile, false).into_iter();
        let found = found.chain(validate::run_options(&run_options, &profile));
        let found: Vec<_> = found.map(|finding| finding.name).filter(|name| name.starts_with('A')).collect();
        assert_eq!(found, rules, "{line}");
    }
}
