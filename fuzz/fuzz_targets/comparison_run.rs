#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| diskspd_fuzz::comparison_run::check(data));
