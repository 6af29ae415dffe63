//! I/O priorities (`-I`), as the kernel encodes them: three bits of class, thirteen of level
//! (linux/ioprio.h).
//!
//! Queues state the priority of every I/O; for I/O that a thread waits for, it is the thread that has one.
//! Not every I/O scheduler heeds them: bfq and mq-deadline do, none and kyber don't.

mod thread;
use diskspd_model::access::IoPriority;
pub use thread::ThreadIoPriority;
