//! I/O priorities (`-I`) in the kernel's encoding: three bits of class, thirteen of level
//! (linux/ioprio.h).
//!
//! Queues state the priority of every I/O; synchronous I/O uses the thread's priority. Among I/O
//! schedulers, bfq and mq-deadline obey them; none and kyber do not.

mod thread;
use diskspd_base::access::IoPriority;
pub use thread::ThreadIoPriority;
