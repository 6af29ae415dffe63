#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| diskspd_fuzz::result_comparison::check(data));
