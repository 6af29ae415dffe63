//! Figures printed by the reports, with the names of [`super::recompute`].

use super::recompute::CHART;
use serde_json::Value;

pub type Printed = Vec<(String, String)>;

pub fn text(report: &str) -> Printed {
    let mut printed = Printed::new();
    let (mut table, mut columns, mut chart) = (String::new(), Vec::new(), String::new());
    for line in report.lines() {
        match line.trim_end() {
            "Total IO" | "Read IO" | "Write IO" => {
                (table, chart) = (line.trim_end().to_owned(), String::new())
            }
            "Total latency distribution:" => (table, chart) = (String::new(), "all".into()),
            line if line.starts_with("Latency distribution: ") => {
                (table, chart) = (String::new(), line["Latency distribution: ".len()..].to_owned());
            }
            _ => {}
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells[0] == "thread" {
            columns = cells[1..].iter().map(|cell| (*cell).to_owned()).collect();
            continue;
        }
        if !table.is_empty() && cells.len() > 4 || line.starts_with("total:") && !table.is_empty() {
            // total: bytes | I/Os | ..
            let total = cells[0].strip_prefix("total:").map(str::trim);
            let (row, values) = match total {
                Some(first) => ("total".to_owned(), [&[first], &cells[1..]].concat()),
                None => {
                    let file = cells[cells.len() - 1];
                    let file = file.rsplit_once(" (").map_or(file, |(file, _)| file);
                    (format!("{} {file}", cells[0]), cells[1..].to_vec())
                }
            };
            for (column, value) in columns.iter().zip(values).filter(|(column, _)| *column != "file") {
                printed.push((format!("{table} of {row}: {column}"), value.to_owned()));
            }
        } else if !chart.is_empty() && cells.len() == 4 && cells[0] != "%-ile" {
            for (direction, value) in ["Read", "Write", "Total"].iter().zip(&cells[1..]) {
                printed.push((format!("latency of {chart}, {direction}: {}", cells[0]), (*value).to_owned()));
            }
        }
    }
    printed
}

/// Parses XML results with one element per line.
pub fn xml(report: &str) -> Printed {
    let mut printed = Printed::new();
    let (mut open, mut thread, mut path, mut percent) =
        (Vec::new(), String::new(), String::new(), String::new());
    for line in report.lines().map(str::trim) {
        let inside = |open: &[String], name: &str| open.iter().any(|one| one == name);
        if let Some(attributes) = line.strip_prefix("<Bucket ") {
            let row = if inside(&open, "Target") { format!("{thread} {path}") } else { "total".to_owned() };
            buckets(&mut printed, attributes, &row);
        } else if let Some(name) = line.strip_prefix("</") {
            let name = name.trim_end_matches('>');
            while open.pop().is_some_and(|last| last != name) {}
        } else if let Some((name, value)) = element(line) {
            let results = !inside(&open, "Profile") && !inside(&open, "System");
            let row = format!("{thread} {path}");
            match name {
                _ if !results => {}
                "Id" if open.last().is_some_and(|last| last == "Thread") => thread = value.to_owned(),
                "Path" => path = value.to_owned(),
                "Percentile" => percent = value.to_owned(),
                "ReadMilliseconds" | "WriteMilliseconds" | "TotalMilliseconds" => {
                    let direction = name.trim_end_matches("Milliseconds");
                    printed.push((format!("latency, {direction}: {percent} %"), value.to_owned()));
                }
                _ if inside(&open, "Target") => {
                    printed.extend(
                        figure_of_element(name).map(|(table, column)| {
                            (format!("{table} IO of {row}: {column}"), value.to_owned())
                        }),
                    );
                }
                _ if inside(&open, "Latency") || inside(&open, "Iops") => {
                    printed.extend(
                        figure_of_element(name).map(|(table, column)| {
                            (format!("{table} IO of total: {column}"), value.to_owned())
                        }),
                    );
                }
                _ => {}
            }
        } else if let Some(name) = line.strip_prefix('<')
            && !line.ends_with("/>")
        {
            open.push(name.split([' ', '>']).next().unwrap_or_default().to_owned());
        }
    }
    printed
}

fn element(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix('<')?.split_once('>')?;
    let (value, end) = rest.rsplit_once("</")?;
    (end.trim_end_matches('>') == name).then_some((name, value))
}

fn figure_of_element(element: &str) -> Option<(&'static str, &'static str)> {
    Some(match element {
        "BytesCount" => ("Total", "bytes"),
        "IOCount" => ("Total", "I/Os"),
        "ReadBytes" => ("Read", "bytes"),
        "ReadCount" => ("Read", "I/Os"),
        "WriteBytes" => ("Write", "bytes"),
        "WriteCount" => ("Write", "I/Os"),
        "AverageReadLatencyMilliseconds" | "AverageReadMilliseconds" => ("Read", "AvgLat"),
        "AverageWriteLatencyMilliseconds" | "AverageWriteMilliseconds" => ("Write", "AvgLat"),
        "AverageTotalMilliseconds" => ("Total", "AvgLat"),
        "ReadLatencyStdev" => ("Read", "LatStdDev"),
        "WriteLatencyStdev" => ("Write", "LatStdDev"),
        "LatencyStdev" => ("Total", "LatStdDev"),
        "ReadIopsStdDev" => ("Read", "IopsStdDev"),
        "WriteIopsStdDev" => ("Write", "IopsStdDev"),
        "IopsStdDev" => ("Total", "IopsStdDev"),
        _ => return None,
    })
}

fn buckets(printed: &mut Printed, attributes: &str, row: &str) {
    let mut end = "";
    for attribute in attributes.trim_end_matches("/>").split_whitespace() {
        let Some((name, value)) = attribute.split_once('=') else { continue };
        let value = value.trim_matches('"');
        let (direction, what) = match name {
            "SampleMillisecond" => {
                end = value;
                continue;
            }
            "Total" => ("Total", "iops"),
            _ if name.starts_with("Read") => ("Read", &name[4..]),
            _ => ("Write", &name[5..]),
        };
        let what = match what {
            "" | "iops" => "iops",
            "MinLatencyMilliseconds" => "min",
            "MaxLatencyMilliseconds" => "max",
            "AvgLatencyMilliseconds" => "mean",
            _ => "deviation",
        };
        printed.push((format!("whole interval to {end} ms of {row}, {direction}: {what}"), value.to_owned()));
    }
}

pub fn csv(report: &str) -> Printed {
    let mut lines = report.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let mut printed = Printed::new();
    for cells in lines {
        let cell = |name: &str| head.iter().position(|column| *column == name).and_then(|i| cells.get(i));
        let end: f64 = cell("end_s").and_then(|end| end.parse().ok()).unwrap_or(-1.0);
        for (column, value) in head.iter().zip(&cells) {
            let (direction, what) = match *column {
                "time_span" | "end_s" | "started_at_ms" => continue,
                "min_ms" | "mean_ms" | "max_ms" | "p50_ms" | "p95_ms" | "p99_ms" | "p999_ms" => {
                    ("Total", column.trim_end_matches("_ms").to_owned())
                }
                _ => match column.split_once('_') {
                    Some(("response", what)) => {
                        ("Total", format!("response {}", what.trim_end_matches("_ms")))
                    }
                    Some((direction, "iops")) => (capital(direction), "iops".into()),
                    Some((direction, "mib_per_s")) => (capital(direction), "MiB/s".into()),
                    _ => continue,
                },
            };
            let end = (end * 1000.0).round();
            printed
                .push((format!("interval to {end} ms of total, {direction}: {what}"), (*value).to_owned()));
        }
    }
    printed
}

fn capital(direction: &str) -> &'static str {
    match direction {
        "read" => "Read",
        "write" => "Write",
        _ => "Total",
    }
}

pub fn json(summary: &Value) -> Printed {
    let mut printed = Printed::new();
    let mut put = |name: String, value: &Value| printed.push((name, value.to_string()));
    json_tables(summary, &mut put);
    json_latencies(summary, &mut put);
    json_intervals(summary, &mut put);
    if summary["paced"].is_object() {
        for field in ["ios", "late", "mean_delay", "max_delay"] {
            put(format!("paced: {field}"), &summary["paced"][field]);
        }
    }
    printed
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn json_tables(summary: &Value, put: &mut impl FnMut(String, &Value)) {
    for table in ["total", "read", "write"] {
        let total = ("total".to_owned(), summary[table]["total"].clone());
        let rows = list(&summary[table]["rows"]).into_iter().map(|row| {
            (
                format!("{} {}", row["thread"], row["path"].as_str().unwrap_or_default()),
                row["figures"].clone(),
            )
        });
        for (row, figures) in rows.chain([total]) {
            let name = |column: &str| format!("{} IO of {row}: {column}", capital(table));
            let throughput = &figures["throughput"];
            for (field, column) in
                [("bytes", "bytes"), ("ios", "I/Os"), ("mib_per_s", "MiB/s"), ("iops", "I/O per s")]
            {
                put(name(column), &throughput[field]);
            }
            if figures["latency"].is_object() {
                put(name("AvgLat"), &figures["latency"]["mean"]);
                put(name("LatStdDev"), &figures["latency"]["std_dev"]);
            }
            if !figures["iops_std_dev"].is_null() {
                put(name("IopsStdDev"), &figures["iops_std_dev"]);
            }
        }
    }
}

fn json_latencies(summary: &Value, put: &mut impl FnMut(String, &Value)) {
    let paths = list(&summary["latency"]["paths"]).into_iter();
    let charts = paths.map(|one| (one["path"].as_str().unwrap_or_default().to_owned(), one["chart"].clone()));
    let mut all: Vec<(String, Value)> =
        charts.map(|(path, chart)| (format!("latency of {path}"), chart)).collect();
    if summary["latency"].is_object() {
        all.push(("latency of all".into(), summary["latency"]["all"].clone()));
    }
    for kind in ["service", "response"].into_iter().filter(|kind| summary["paced"][kind].is_object()) {
        let figures = &summary["paced"][kind];
        all.push((format!("{kind} of paced I/Os"), figures["chart"].clone()));
        for direction in ["read", "write", "total"] {
            let name = |what: &str| format!("{kind} of paced I/Os, {}: {what}", capital(direction));
            put(name("mean"), &figures[direction]["mean"]);
            put(name("deviation"), &figures[direction]["std_dev"]);
        }
    }
    for (chart, rows) in all {
        let percentiles = list(&rows["percentiles"]);
        let named = CHART.iter().map(|(name, _)| *name).zip(&percentiles);
        for (name, row) in named.chain([("min", &rows["min"]), ("max", &rows["max"])]) {
            for direction in ["read", "write", "total"] {
                put(format!("{chart}, {}: {name}", capital(direction)), &row[direction]);
            }
        }
    }
}

fn json_intervals(summary: &Value, put: &mut impl FnMut(String, &Value)) {
    for interval in list(&summary["iops"]["intervals"]) {
        let end = &interval["end_ms"];
        for direction in ["read", "write", "total"] {
            let name = |what: &str| format!("interval to {end} ms of total, {}: {what}", capital(direction));
            let figures = &interval[direction];
            put(name("iops"), &figures["iops"]);
            put(name("MiB/s"), &figures["mib_per_s"]);
            for (field, what) in [("min", "min"), ("max", "max"), ("mean", "mean"), ("std_dev", "deviation")]
            {
                put(name(what), &figures["latency"][field]);
            }
        }
    }
}
