//! Any bytes as the file of a comparison (`compare --json`).

use diskspd::experiments::compare::{RunComparison, Side, csv, text};
use diskspd::formats::answers;
use diskspd::page::{ComparisonPage, write_comparison};

pub fn check(data: &[u8]) {
    if let Ok(read) = answers::read::<RunComparison>(data) {
        let _ = (text(&read, 80), csv(&read));
        let sides = [(); 2].map(|()| Side { name: String::new(), runs: Vec::new() });
        let page = ComparisonPage {
            comparison: &read,
            sides: [&sides[0], &sides[1]],
            command_line: "",
            is_noise: false,
            sentence: None,
        };
        let _ = write_comparison(&page, &mut Vec::new());
    }
}
