//! The requested work of a time span, for lists and tables.

use diskspd_figures::units;
use diskspd_profile::{Access, CommonValue, Parameters};

/// Work parameters, with their column names in tables of runs (docs/reference/tables.md).
pub const WORK: [&str; 8] = [
    "threads",
    "outstanding",
    "in_flight",
    "block_bytes",
    "write_percent",
    "random_percent",
    "duration_s",
    "warmup_s",
];

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanWork {
    /// Counted from 1.
    pub time_span: u32,
    pub values: [CommonValue<u64>; WORK.len()],
}

impl SpanWork {
    pub fn from_parameters(time_span: u32, asked: &Parameters) -> SpanWork {
        let one = |value: Option<u64>| value.map_or(CommonValue::Unknown, CommonValue::One);
        let all = |of: fn(&Access) -> Option<u32>| asked.common(|access| of(access).map(u64::from));
        let values = [
            one(asked.threads),
            all(|access| access.outstanding),
            one(asked.in_flight),
            all(|access| access.block_size),
            all(|access| access.write_percent),
            all(|access| access.random_percent),
            one(asked.duration_s.map(u64::from)),
            one(asked.warmup_s.map(u64::from)),
        ];
        SpanWork { time_span, values }
    }

    /// Formats `4 KiB random reads, 2 threads, depth 8`, without unrecorded parts.
    pub fn words(&self) -> String {
        let value = |name: &str| Some(self.text(name)).filter(|value| !value.is_empty());
        let size = value("block_bytes").map(|size| match size.parse() {
            Ok(bytes) => units::amount(bytes),
            Err(_) => "mixed sizes".to_owned(),
        });
        let order = value("random_percent").map(|share| match share.as_str() {
            "0" => "sequential".to_owned(),
            "100" => "random".to_owned(),
            "mixed" => "sequential and random".to_owned(),
            share => format!("{share} % random"),
        });
        let (direction, share) = match value("write_percent").as_deref() {
            Some("0") => ("reads", None),
            Some("100") => ("writes", None),
            Some("mixed") => ("reads and writes", None),
            Some(share) => ("I/Os", Some(format!("{share} % writes"))),
            None => ("I/Os", None),
        };
        let is_known = size.is_some() || order.is_some();
        let work = [size, order, Some(direction.to_owned())].into_iter().flatten().collect::<Vec<_>>();
        let threads = value("threads").map(|threads| match threads.as_str() {
            "1" => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        });
        let depth = value("outstanding").map(|depth| format!("depth {depth}"));
        let words = [Some(work.join(" ")).filter(|_| is_known), share, threads, depth];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns a parameter for programs: empty = not recorded, `mixed` = targets differ.
    pub fn text(&self, name: &str) -> String {
        let value = WORK.iter().position(|known| *known == name).map(|place| self.values[place]);
        match value {
            Some(CommonValue::One(value)) => value.to_string(),
            Some(CommonValue::Several) => "mixed".into(),
            Some(CommonValue::Unknown) | None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::{Target, TimeSpan};

    #[test]
    fn differing_values_of_targets_are_mixed() {
        let target = |block_size, write_ratio| Target {
            path: "a".into(),
            block_size,
            write_ratio,
            request_count: 8,
            ..Target::default()
        };
        let span = TimeSpan { targets: vec![target(4096, 30), target(8192, 30)], ..TimeSpan::default() };
        let work = SpanWork::from_parameters(2, &Parameters::from_span(&span));
        let told = ["threads", "outstanding", "in_flight", "block_bytes", "write_percent", "none"]
            .map(|name| work.text(name));
        assert_eq!(told, ["2", "8", "16", "mixed", "30", ""]);
        assert_eq!(
            SpanWork::from_parameters(1, &Parameters::from_span(&span)).words(),
            "mixed sizes sequential I/Os, 30 % writes, 2 threads, depth 8"
        );
        assert!(
            WORK.iter()
                .all(|name| SpanWork::from_parameters(1, &Parameters::default()).text(name).is_empty())
        );
    }
}
