//! Fuzz target: arguments of a sweep, separated by line feeds, and the values of its options. Every range
//! ends, every point is a plain line with the original number of words, and every rejection has a reason.

use diskspd::cli;
use diskspd::experiments::repeat::Repeat;
use diskspd::experiments::sweep::{Objective, SweepOrder, curve, points, seconds};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

pub fn check(data: &[u8]) {
    let words: Vec<OsString> =
        data.split(|&byte| byte == b'\n').map(|word| OsString::from_vec(word.to_vec())).collect();
    let line: Vec<OsString> =
        ["diskspd", "sweep"].map(OsString::from).into_iter().chain(words.clone()).collect();
    let _ = cli::parse(&line);
    if let Ok(swept) = cli::TypedLine::from_arguments(&words).and_then(cli::SweepLine::from_line) {
        let product = swept.axes.iter().map(|axis| axis.values.len()).product::<usize>();
        if product <= 4096 {
            for settings in points(&swept.axes).unwrap_or_default() {
                assert_eq!(swept.line_at(&settings).words().len(), swept.line.words().len());
            }
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let refused = [
            Objective::parse(text).err(),
            SweepOrder::parse(text).err(),
            Repeat::parse(text).err(),
            curve(text).err(),
            seconds(text).err(),
        ];
        assert!(refused.into_iter().flatten().all(|why| !why.is_empty()));
    }
}
