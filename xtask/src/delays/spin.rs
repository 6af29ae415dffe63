//! A thread that runs without checking completions, because its return address from the waiting system
//! call temporarily leads to an endless loop.

use crate::harness::Failure;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Instruction `jmp` to itself.
const LOOP: [u8; 2] = [0xEB, 0xFE];
/// The number of `io_uring_enter`.
const ENTER: &str = "426";
const PATIENCE: Duration = Duration::from_secs(2);

/// Makes the io_uring worker of a process spin for this time.
///
/// # Errors
/// Fails if there is no such worker, or on another processor architecture.
pub fn spin(process: u32, length: Duration) -> Result<(), Failure> {
    if std::env::consts::ARCH != "x86_64" {
        return Err("a thread is made to run in circles on x86-64 only".into());
    }
    let memory = File::options().read(true).write(true).open(format!("/proc/{process}/mem"))?;
    let begun = Instant::now();
    let address = loop {
        if let Some(stack) = waiting(process)? {
            // The function of the C library that made the system call has nothing else on the stack.
            let mut address = [0; 8];
            memory.read_exact_at(&mut address, stack)?;
            let address = u64::from_le_bytes(address);
            // It may have gone on meanwhile, and what lay there was anything.
            if waiting(process)? == Some(stack) && is_behind_a_call(&memory, address) {
                break address;
            }
        }
        if begun.elapsed() > PATIENCE {
            return Err("no thread waits for completions".into());
        }
    };
    let mut code = LOOP;
    memory.read_exact_at(&mut code, address)?;
    memory.write_all_at(&LOOP, address)?;
    sleep(length);
    Ok(memory.write_all_at(&code, address)?)
}

fn is_behind_a_call(memory: &File, address: u64) -> bool {
    let mut before = [0; 6];
    let read = address.checked_sub(6).is_some_and(|from| memory.read_exact_at(&mut before, from).is_ok());
    read && (before[1] == 0xE8 || before[..2] == [0xFF, 0x15])
}

/// Returns the stack of a thread that waits for completions.
fn waiting(process: u32) -> Result<Option<u64>, Failure> {
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        // It ends meanwhile, or runs.
        let Ok(call) = fs::read_to_string(thread?.path().join("syscall")) else { continue };
        let words: Vec<&str> = call.split_whitespace().collect();
        if let [ENTER, .., stack, _] = words[..] {
            return Ok(Some(u64::from_str_radix(stack.trim_start_matches("0x"), 16)?));
        }
    }
    Ok(None)
}
