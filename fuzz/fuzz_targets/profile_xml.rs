#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| diskspd_fuzz::profile_xml::check(data));
