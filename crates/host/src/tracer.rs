//! Detection of tracers: a debugger, or `strace`. They make each system call several times as slow.

use super::root::Root;
use diskspd_machine::tracer::Tracer;
use diskspd_sys::clock;

/// Number of samples of each traced thread's state. A waiting debugger stops no thread, `strace` stops
/// each one most of the time.
const SAMPLES: usize = 12;

const MAX_THREADS: usize = 16;

#[derive(Debug)]
pub struct TracerWatch {
    root: Root,
    threads: Vec<i32>,
    found: Tracer,
}

impl TracerWatch {
    pub fn new(root: Root) -> TracerWatch {
        TracerWatch { root, threads: Vec::new(), found: Tracer::default() }
    }

    pub fn begin(&mut self, threads: impl Iterator<Item = i32>) {
        self.threads = threads.take(MAX_THREADS).collect();
        self.sample_tracers();
    }

    pub fn sample_tracers(&mut self) {
        self.found.checks += 1;
        let Some(pid) = self.threads.iter().find_map(|thread| tracer_of(&self.root, *thread)) else { return };
        self.found.traced_checks += 1;
        self.sample_threads();
        if self.found.pid != pid {
            self.found.pid = pid;
            self.found.name =
                self.root.text(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned();
        }
    }

    fn sample_threads(&mut self) {
        for _ in 0..SAMPLES {
            let began = clock::monotonic();
            let _ = rustix::process::getppid();
            let took = clock::monotonic().saturating_sub(began);
            self.found.call_ns = Some(self.found.call_ns.map_or(took, |least| least.min(took)));
            for status in self.threads.iter().filter_map(|thread| status_of(&self.root, *thread)) {
                self.found.samples += 1;
                let is_stopped = |line: &str| {
                    line.strip_prefix("State:").is_some_and(|state| state.trim().starts_with('t'))
                };
                self.found.stopped += u32::from(status.lines().any(is_stopped));
            }
        }
    }

    pub fn finish(&mut self) -> Option<Tracer> {
        self.sample_tracers();
        (self.found.traced_checks > 0).then(|| std::mem::take(&mut self.found))
    }
}

/// Returns the tracer of a thread of this process; `None` if not traced, or the thread has ended.
fn tracer_of(root: &Root, thread: i32) -> Option<u32> {
    let status = status_of(root, thread)?;
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    tracer.trim().parse().ok().filter(|pid| *pid > 0)
}

fn status_of(root: &Root, thread: i32) -> Option<String> {
    root.text(format!("/proc/self/task/{thread}/status"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracer_of_any_thread_is_named() {
        let machine = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = machine.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let free = "Name:\tworker 0\nState:\tR (running)\nPid:\t7\nTracerPid:\t0\nUid:\t0\n";
        put("proc/self/task/7/status", free);
        put("proc/self/task/8/status", free);
        put("proc/99/comm", "strace\n");
        let mut watch = TracerWatch::new(Root::at(machine.path()));
        watch.begin([7, 8, 9].into_iter());
        watch.sample_tracers();
        let traced = free.replace("Pid:\t0", "Pid:\t99").replace("R (running)", "t (tracing stop)");
        put("proc/self/task/8/status", &traced);
        let (samples, stopped) = (2 * SAMPLES as u32, SAMPLES as u32);
        let found = watch.finish().unwrap();
        let call_ns = found.call_ns;
        let expected =
            Tracer { pid: 99, name: "strace".into(), traced_checks: 1, checks: 3, samples, stopped, call_ns };
        assert!(found == expected && call_ns.is_some(), "{found:?}");
        let mut watch = TracerWatch::new(Root::at(machine.path()));
        watch.begin([7].into_iter());
        assert_eq!(watch.finish(), None);
    }
}
