//! The program as a user runs it: on files, devices and shares, well and badly treated.
//!
//! `cargo test --test program faults::` tests one part of it.

mod common;

mod program {
    mod affinity;
    mod bad_input;
    mod bisect;
    mod browser;
    mod compat_runs;
    mod cpu_latency;
    mod device_kinds;
    mod devices;
    mod display;
    mod doctor;
    mod documentation_runs;
    mod effects;
    mod end_to_end;
    mod ending;
    mod engine_choice;
    mod events;
    mod explain;
    mod faults;
    mod file_systems;
    mod fio_runs;
    mod first_hour;
    mod fua;
    mod hanging_storage;
    mod hidden_facts;
    mod history;
    mod hosts;
    mod hosts_lab;
    mod hosts_live;
    mod hosts_ssh;
    mod integrity_devices;
    mod integrity_runs;
    mod io_features;
    mod io_priority;
    mod judge;
    mod large_pages;
    mod loaded_libraries;
    mod located;
    mod loop_options;
    mod memory;
    mod memory_mapped;
    mod merge_command;
    mod metrics;
    mod network_storage;
    mod nowait;
    mod nvme;
    mod outages;
    mod output_door;
    mod outputs;
    mod parent_process;
    mod precondition;
    mod python;
    mod real_time;
    mod received;
    mod repetitions;
    mod reports;
    mod share;
    mod sides;
    mod signals;
    mod suites;
    mod sweep;
    mod tables;
    mod tracing;
    mod truth_content;
    mod verdict_lines;
    mod windows;
    mod with;
    mod write_content;
}
