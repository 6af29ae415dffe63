//! The input parameters of a report.

use super::lines::{TextPiece, unwrapped};
use super::size;
use crate::error::LineError;
use diskspd_base::operation::Operation;
use diskspd_profile::xml::text::bytes as path_bytes;
use diskspd_profile::{Access, CacheMode, Caching, Parameters, Rate, RawText, Target, TimeSpan};

#[derive(Debug, Default)]
pub(super) struct TextRequest {
    duration_s: Option<u32>,
    warmup_s: Option<u32>,
    rand_seed: Option<u32>,
    pool: Option<u32>,
    pool_outstanding: Option<u32>,
    targets: Vec<(RawText, TargetRequest)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct TargetRequest {
    access: Access,
    mode: Option<CacheMode>,
    write_through: Option<bool>,
    memory_mapped: bool,
}

/// Maximum number of time spans, and of targets, of a report.
const MAX_SPANS: usize = 1 << 16;

/// Reads the input parameters of all time spans.
///
/// # Errors
/// Fails if there are more time spans or targets than a run can have.
pub(super) fn read(head: TextPiece) -> Result<Vec<TextRequest>, LineError> {
    let mut spans: Vec<TextRequest> = Vec::new();
    let mut targets = 0;
    let mut lines = head.lines().peekable();
    while let Some(line) = lines.next() {
        if line.text.starts_with("System information") {
            break;
        }
        targets += usize::from(line.text.starts_with("path: "));
        if spans.len() > MAX_SPANS || targets > MAX_SPANS {
            return Err(LineError::at_line(
                line.number,
                format!("more than {MAX_SPANS} time spans or targets"),
            ));
        }
        if line.text.starts_with("timespan:") {
            spans.push(TextRequest::default());
        } else if let Some(span) = spans.last_mut() {
            let is_cut = line.text.starts_with("path: '") && !line.text.ends_with('\'');
            let text = unwrapped(line, &mut lines, |text| is_cut && text.ends_with('\''));
            span.line(&text);
        }
    }
    Ok(spans)
}

fn parse_number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = text.trim_start().split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

impl TextRequest {
    fn line(&mut self, text: &str) {
        if let Some(path) = text.strip_prefix("path: ") {
            let path = path.strip_prefix('\'').and_then(|path| path.strip_suffix('\'')).unwrap_or(path);
            return self.targets.push((path_bytes(path).into(), TargetRequest::default()));
        }
        match self.targets.last_mut() {
            Some((_, target)) => target.line(text),
            None => self.of_span(text),
        }
    }

    fn of_span(&mut self, text: &str) {
        if let Some(threads) = text.strip_prefix("thread pool with ") {
            self.pool = parse_number(threads);
        }
        let Some((label, value)) = text.split_once(':') else { return };
        match label {
            "duration" => self.duration_s = parse_number(value),
            "warm up time" => self.warmup_s = parse_number(value),
            "random seed" => self.rand_seed = parse_number(value),
            "number of outstanding I/O operations per thread" => self.pool_outstanding = parse_number(value),
            _ => {}
        }
    }

    /// Returns the known parameters. In reports that list all parameters, a missing rate means no limit.
    pub(super) fn parameters(self, states_all: bool) -> Parameters {
        let pool_outstanding = self.pool_outstanding.filter(|_| self.pool.is_some());
        let span = TimeSpan {
            thread_count: self.pool.unwrap_or(0),
            request_count: pool_outstanding.unwrap_or(0),
            targets: self
                .targets
                .iter()
                .map(|(path, _)| Target { path: path.clone(), ..Target::default() })
                .collect(),
            ..TimeSpan::default()
        };
        let floating = span.is_floating_pool();
        let accesses: Vec<Access> = self
            .targets
            .iter()
            .map(|(_, target)| {
                let access = target.build_access(states_all);
                Access {
                    threads: self.pool.or(access.threads),
                    outstanding: if floating { pool_outstanding } else { access.outstanding },
                    ..access
                }
            })
            .collect();
        let asked = Parameters::with(&span, |_, place| accesses.get(place).copied().unwrap_or_default());
        let stated = !self.targets.is_empty();
        Parameters {
            threads: asked.threads.filter(|_| stated),
            in_flight: asked.in_flight.filter(|_| stated),
            floating_pool: asked.floating_pool.filter(|_| stated),
            duration_s: self.duration_s,
            warmup_s: self.warmup_s,
            rand_seed: self.rand_seed,
            ..asked
        }
    }
}

impl TargetRequest {
    fn build_access(&self, states_all: bool) -> Access {
        let caching = self.mode.zip(self.write_through).map(|(mode, write_through)| Caching {
            mode,
            write_through,
            memory_mapped: self.memory_mapped,
            cached_devices: false,
            block_device: None,
        });
        let rate = self.access.rate.or_else(|| states_all.then_some(Rate::Unlimited));
        Access { caching, rate, ..self.access }
    }

    fn line(&mut self, text: &str) {
        let access = &mut self.access;
        match text {
            "performing read test" => access.write_percent = Some(0),
            "performing write test" => access.write_percent = Some(100),
            "using software cache" => self.mode = Some(CacheMode::Cached),
            "local software cache disabled, remote cache enabled" => {
                self.mode = Some(CacheMode::DisableLocalCache);
            }
            "software cache disabled" => self.mode = Some(CacheMode::DisableOsCache),
            "software and hardware cache disabled" => {
                self.mode = Some(CacheMode::DisableOsCache);
                self.write_through = Some(true);
            }
            "hardware and software write caches disabled, writethrough on"
            | "hardware write cache disabled, writethrough on" => self.write_through = Some(true),
            "using hardware write cache, writethrough off" => self.write_through = Some(false),
            _ => self.with_value(text),
        }
    }

    fn with_value(&mut self, text: &str) {
        let access = &mut self.access;
        if text.starts_with("memory mapped I/O enabled") {
            self.memory_mapped = true;
        } else if let Some(ratio) = text.strip_prefix("performing mix test (read/write ratio: ") {
            access.write_percent = ratio.split_once('/').and_then(|(_, writes)| parse_number(writes));
        } else if let Some(ratio) = text.strip_prefix("performing mix test (write/read ratio: ") {
            // 30/100: of a hundred I/Os.
            access.write_percent = parse_number(ratio);
        } else if let Some(limit) = text.strip_prefix("throughput rate-limited to ") {
            access.rate = match limit.ends_with("IOPS") {
                true => parse_number(limit).map(Rate::Iops),
                false => parse_number(limit).map(Rate::BytesPerMillisecond),
            };
        } else if text.starts_with("using ") && text.contains(" I/O (") {
            self.read_pattern(text);
        } else if let Some((label, value)) = text.split_once(':') {
            match label {
                "block size" => {
                    access.block_size = size::bytes(value.trim()).and_then(|bytes| bytes.try_into().ok());
                }
                "number of outstanding I/O operations per thread"
                | "number of outstanding I/O operations" => access.outstanding = parse_number(value),
                "threads per file" => access.threads = parse_number(value),
                _ => self.read_share(label, value),
            }
        }
    }

    /// Parses `discards: 5% of all I/Os, the rest as above`.
    fn read_share(&mut self, label: &str, value: &str) {
        if let Some((op, ..)) = Operation::shared().find(|(_, row, _)| row.plural == label) {
            self.access.shares.set(op, parse_number(value).unwrap_or(0));
        }
    }

    /// Parses `using random I/O (alignment: 4KiB)`.
    fn read_pattern(&mut self, text: &str) {
        let share = match text {
            _ if text.starts_with("using random I/O") => Some(100),
            _ if text.starts_with("using mixed random/sequential I/O (") => {
                text.split_once('(').and_then(|(_, share)| parse_number(share))
            }
            _ if text.starts_with("using sequential I/O")
                || text.starts_with("using interlocked sequential I/O") =>
            {
                Some(0)
            }
            _ => return,
        };
        self.access.random_percent = share;
        let stride = text.rsplit_once(": ").map(|(_, stride)| stride.trim_end_matches(')'));
        self.access.stride = stride.and_then(size::bytes);
    }
}
