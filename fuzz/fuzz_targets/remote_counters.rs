#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| diskspd_fuzz::remote_counters::check(data));
