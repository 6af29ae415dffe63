//! The end of a ring: I/Os in flight are cancelled and awaited, then memory and files are released.

use super::{EnterOutcome, EntryForm, Nanos, Ring, monotonic};
use io_uring::{cqueue, opcode, squeue, types};
use std::mem::ManuallyDrop;
use std::time::Duration;

/// Tag of the completion of a cancellation; other tags are 32 bits wide.
const CANCEL: u64 = u64::MAX;

impl<F: EntryForm> Ring<F> {
    /// Cancels the I/Os in flight and waits for their end; returns false if the limit passed before.
    pub(super) fn drain(&mut self) -> bool {
        let limit = Nanos::try_from(self.options.drain_limit.as_nanos()).unwrap_or(Nanos::MAX);
        let deadline = monotonic().saturating_add(limit);
        let mut cancel_any = self.options.cancel_any;
        while self.in_flight > 0 {
            if monotonic() >= deadline {
                return false;
            }
            // Submits what is still queued; makes room for the cancellations.
            let entered = self.enter(0, Duration::ZERO);
            // Polled I/Os are at the device, which ends them soon; such a ring cannot cancel.
            if !self.options.polled {
                self.cancel(cancel_any);
            }
            let everything = self.in_flight + self.queued;
            let waited = self.enter(everything as usize, Duration::from_millis(100));
            if !matches!((entered, waited), (Ok(EnterOutcome::Complete), Ok(EnterOutcome::Complete))) {
                std::thread::sleep(Duration::from_millis(1));
            }
            for completion in self.ring.completion() {
                let completion: cqueue::Entry = completion.into();
                match (completion.user_data(), completion.result()) {
                    (CANCEL, error) => cancel_any &= error != -libc::EINVAL,
                    (tag, _) => {
                        let busy = self.busy.get_mut(tag as usize);
                        // An I/O that is no longer waited for keeps its memory.
                        self.in_flight -= u32::from(busy.is_some_and(std::mem::take));
                    }
                }
            }
        }
        true
    }

    /// Queues the cancellation of everything. Repeated by [`Ring::drain`]: an I/O on its way from one of
    /// the kernel's lists to another is missed.
    fn cancel(&mut self, any: bool) {
        let mut queue = self.ring.submission();
        let mut push = |entry: squeue::Entry| {
            // SAFETY: a cancellation refers to no memory.
            let pushed = unsafe { queue.push(&entry.user_data(CANCEL).into()) }.is_ok();
            self.queued += u32::from(pushed);
        };
        if any {
            push(opcode::AsyncCancel2::new(types::CancelBuilder::any()).build());
        } else {
            (0..self.depth).for_each(|tag| push(opcode::AsyncCancel::new(u64::from(tag)).build()));
        }
    }
}

impl<F: EntryForm> Drop for Ring<F> {
    /// Cancels and drains the I/Os in flight, then releases ring, files and memory.
    ///
    /// If a dead device exceeds the limit, all three are leaked intentionally. The kernel may still write
    /// into the memory, and the program is about to report an error and end.
    fn drop(&mut self) {
        if !self.drain() {
            std::mem::forget(self.registration.take());
            return;
        }
        self.call.unregister_ring();
        // Closing the ring would do these too, but some time later: files stayed busy and memory locked
        // meanwhile. They fail when nothing was registered.
        let _ = self.ring.submitter().unregister_buffers();
        let _ = self.ring.submitter().unregister_files();
        // SAFETY: each is dropped once, here, and not used afterwards. Nothing is in flight.
        unsafe {
            ManuallyDrop::drop(&mut self.ring);
            ManuallyDrop::drop(&mut self.form);
            ManuallyDrop::drop(&mut self.files);
            ManuallyDrop::drop(&mut self.memory);
        }
    }
}
