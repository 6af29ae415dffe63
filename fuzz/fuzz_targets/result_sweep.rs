#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| diskspd_fuzz::result_sweep::check(data));
