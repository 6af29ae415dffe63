//! Fuzz target: any arguments, separated by line feeds, are parsed, validated and printed without a panic.
//! Accepted arguments can be printed.

use diskspd::cli::{self, Invocation};
use diskspd::profile::validate::validate;
use diskspd::report::profile_text::write_profile;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

pub fn check(data: &[u8]) {
    let mut arguments = vec![OsString::from("diskspd")];
    arguments.extend(data.split(|&b| b == b'\n').map(|word| OsString::from_vec(word.to_vec())));
    match cli::parse(&arguments) {
        Ok(Invocation::Run(request)) => {
            let _ = validate(&request.profile, request.profile_only);
            let mut out = Vec::new();
            write_profile(&mut out, &request.profile);
            assert!(!out.is_empty());
        }
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
