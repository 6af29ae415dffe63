//! Any text as a suite: refused with a line that it has, or tests that have names, words and possible
//! numbers.

use diskspd::experiments::suite::{MAX_ROUNDS, MAX_TESTS, read};

pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match read(text) {
        Ok(suite) => {
            assert!(!suite.name.is_empty() && (1..=MAX_TESTS).contains(&suite.tests.len()));
            for (place, test) in suite.tests.iter().enumerate() {
                assert!(!test.name.is_empty() && !test.command.is_empty());
                assert!(test.repeat.is_none_or(|rounds| (1..=MAX_ROUNDS).contains(&rounds)));
                assert!(test.question.same.is_none_or(|share| (0.0..0.5).contains(&share)));
                assert!((0.0..0.5).contains(&test.question.worse));
                assert!(suite.tests[..place].iter().all(|other| other.name != test.name));
            }
        }
        Err(error) => {
            assert!((1..=text.lines().count() + 1).contains(&error.line), "{error}");
            assert!(!error.what.is_empty());
        }
    }
}
