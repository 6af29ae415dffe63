//! Reasons for a failed run, reported once per cause, because one lack may affect hundreds of threads.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WorkerFailure {
    /// Message in one line with thread, request and offset.
    pub message: String,
    cause: String,
}

impl WorkerFailure {
    /// Creates a failure with its message, and the cause common to all affected threads.
    pub fn new(message: String, cause: String) -> WorkerFailure {
        WorkerFailure { message, cause }
    }

    pub fn of_thread(thread: u32, cause: String) -> WorkerFailure {
        WorkerFailure { message: format!("thread {thread}: {cause}"), cause }
    }
}

impl From<String> for WorkerFailure {
    fn from(message: String) -> WorkerFailure {
        WorkerFailure { cause: message.clone(), message }
    }
}

impl From<WorkerFailure> for String {
    fn from(failure: WorkerFailure) -> String {
        failure.message
    }
}

/// Returns a line for each cause: the message of the first thread, and the number of other threads.
pub fn by_cause(failures: &[WorkerFailure]) -> Vec<String> {
    let mut causes: Vec<(&WorkerFailure, usize)> = Vec::new();
    for failure in failures {
        match causes.iter_mut().find(|(known, _)| known.cause == failure.cause) {
            Some((_, others)) => *others += 1,
            None => causes.push((failure, 0)),
        }
    }
    let line = |(failure, others): (&WorkerFailure, usize)| match others {
        0 => failure.message.clone(),
        1 => format!("{} (and the same in 1 other thread)", failure.message),
        _ => format!("{} (and the same in {others} other threads)", failure.message),
    };
    causes.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_cause_is_reported_once() {
        let threads = |range: std::ops::Range<u32>, cause: &str| {
            range.map(|thread| WorkerFailure::of_thread(thread, cause.into())).collect::<Vec<_>>()
        };
        let failures = [
            threads(3..6, "no memory"),
            vec!["the machine is gone".to_string().into()],
            threads(1..2, "no file"),
            threads(6..8, "no memory"),
            threads(9..10, "no file"),
        ]
        .concat();
        assert_eq!(
            by_cause(&failures),
            [
                "thread 3: no memory (and the same in 4 other threads)",
                "the machine is gone",
                "thread 1: no file (and the same in 1 other thread)",
            ]
        );
    }
}
