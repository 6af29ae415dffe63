//! The tables of the text report: CPUs, I/O by thread and target, latency charts, wait statistics.

use super::profile_text::Style;
use crate::number::time_or;
use diskspd_results::{Chart, ChartRow, CpuTable, CpuUsage, Figures, LatencyCharts, Table, ThreadWaits};

pub(super) const LABELS: [&str; 13] = [
    "25th", "50th", "75th", "90th", "95th", "99th", "3-nines", "4-nines", "5-nines", "6-nines", "7-nines",
    "8-nines", "9-nines",
];

pub(super) fn write_cpu_table(out: &mut Vec<u8>, table: &CpuTable) {
    let columns = table.columns;
    let optional = [
        (columns.socket, "Socket | "),
        (columns.node, "Node | "),
        (columns.group, "Group | "),
        (columns.core, "Core | "),
        (columns.class, "Class | "),
    ];
    let header: String = optional.iter().filter(|(shown, _)| *shown).map(|(_, header)| *header).collect();
    let border = "-".repeat(header.len() + 40);
    put!(out, "\n{header}CPU |  Usage |  User  | Kernel |  Idle\n{border}\n");
    for row in &table.rows {
        let cells = [
            (columns.socket, format!("{:7}| ", row.place.socket)),
            (columns.node, format!("{:5}| ", row.place.node)),
            (columns.group, format!("{:6}| ", row.place.group)),
            (columns.core, format!("{:5}| ", row.place.core)),
            (columns.class, format!("{:5}{}| ", row.place.class, if row.performance { 'P' } else { ' ' })),
        ];
        let cells: String = cells.into_iter().filter(|(shown, _)| *shown).map(|(_, cell)| cell).collect();
        put!(out, "{cells}{:4}|{}\n", row.place.cpu, usage_cells(&row.usage));
    }
    put!(out, "{border}\n{:width$}avg.|{}\n", "", usage_cells(&table.average), width = header.len());
}

fn usage_cells(usage: &CpuUsage) -> String {
    let CpuUsage { usage, user, kernel, idle } = usage;
    format!(" {usage:6.2}%| {user:6.2}%| {kernel:6.2}%| {idle:6.2}%")
}

pub(super) fn write_table(out: &mut Vec<u8>, table: &Table, style: &Style) {
    let (latency, iops) = (table.total.latency.is_some(), table.total.iops_std_dev.is_some());
    let column = |shown, header| if shown { header } else { "" };
    let header = [
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s ",
        column(latency, "|  AvgLat  "),
        column(iops, "| IopsStdDev "),
        column(latency, "| LatStdDev "),
        "|  file",
    ]
    .concat();
    let border = "-".repeat(78 + if latency { 23 } else { 0 } + if iops { 13 } else { 0 });
    put!(out, "{header}\n{border}\n");
    for row in &table.rows {
        put!(out, "{:6} | {} | ", row.thread, figure_cells(&row.figures));
        out.extend_from_slice(row.path.as_bytes());
        put!(out, " ({})\n", style.size(row.size));
    }
    put!(out, "{border}\ntotal:   {}\n", figure_cells(&table.total));
}

fn figure_cells(figures: &Figures) -> String {
    let throughput = &figures.throughput;
    let mut cells = format!(
        "{:15} | {:12} | {:10.2} | {:10.2}",
        throughput.bytes, throughput.ios, throughput.mib_per_s, throughput.iops
    );
    if let Some(latency) = figures.latency {
        cells += &format!(" | {:8}", latency.mean.unwrap_or_default());
    }
    if let Some(deviation) = figures.iops_std_dev {
        cells += &format!(" | {deviation:10.2}");
    }
    match figures.latency.map(|latency| latency.std_dev) {
        None => {}
        Some(Some(deviation)) => cells += &format!(" |  {deviation:8}"),
        Some(None) => cells += " |       N/A",
    }
    cells
}

pub(super) fn write_charts(out: &mut Vec<u8>, charts: &LatencyCharts) {
    for of_path in &charts.paths {
        out.extend_from_slice(b"\nLatency distribution: ");
        out.extend_from_slice(of_path.path.as_bytes());
        out.push(b'\n');
        write_chart(out, &of_path.chart);
    }
    put!(out, "\nTotal latency distribution:\n");
    write_chart(out, &charts.all);
}

fn write_chart(out: &mut Vec<u8>, chart: &Chart) {
    put!(out, "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n{}\n", "-".repeat(46));
    let percentiles = LABELS.into_iter().zip(&chart.percentiles);
    for (label, row) in [("min", &chart.min)].into_iter().chain(percentiles).chain([("max", &chart.max)]) {
        let cell = |time| time_or("N/A", time);
        let ChartRow { read, write, total } = *row;
        let total = total.unwrap_or_default();
        put!(out, "{label:>7} | {:>10} | {:>10} | {total:10}\n", cell(read), cell(write));
    }
}

pub(super) fn write_waits(out: &mut Vec<u8>, threads: &[ThreadWaits]) {
    put!(out, "\nWait Statistics\n");
    put!(
        out,
        "thread | completion wait | throttle wait  -  sleep | lookaside | 0 - 7+ complete per \
         lookaside\n{}\n",
        "-".repeat(95)
    );
    for ThreadWaits { thread, waits, .. } in threads {
        put!(
            out,
            "{thread:6} | {:15} | {:13}  - {:6} | {:9} |",
            waits.completion_waits,
            waits.throttle_waits,
            waits.throttle_sleeps,
            waits.lookasides
        );
        for count in waits.lookaside_completions {
            put!(out, " {count}");
        }
        out.push(b'\n');
    }
}
