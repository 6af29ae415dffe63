//! Additional content of fio results, for people.

use diskspd_figures::units::table::{self, Cell, TableColumn};
use diskspd_figures::units::visible::line;
use diskspd_results::{AuxFigures, FioFigures, FioLogged, FioSeries, FioSeriesOf};

pub fn text(fio: &FioFigures, room: usize) -> String {
    let mut text = String::new();
    for fact in facts(fio) {
        text += &format!("{fact}\n");
    }
    let others = aux_figures(fio);
    if !others.is_empty() {
        text += &format!("\n{}", table::text_within(&FIO_OTHERS, &others, room));
    }
    if !fio.series.is_empty() {
        let courses: Vec<LogSeriesRow> = fio.series.iter().map(LogSeriesRow::from_series).collect();
        text += &format!("\nlog files:\n{}", table::text_within(LogSeriesRow::COLUMNS, &courses, room));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

const NO_PERCENTILES_TEXT: &str = "no percentiles: fio's of several jobs cannot be combined; run fio with \
                     --output-format=json+ or --group_reporting";
const UNSTATED: &str = "no percentiles: fio states none; leave out clat_percentiles=0 and disable_clat";

pub fn facts(fio: &FioFigures) -> Vec<String> {
    let names: Vec<String> = fio.jobs.iter().map(|name| line(name).into_owned()).collect();
    let failed = fio.failed.iter().map(|(name, error)| {
        format!("job {} ended with error {error}: its figures are of a part of the work", line(name))
    });
    let jobs = (!names.is_empty()).then(|| format!("fio's jobs: {}", names.join(", ")));
    let figures =
        if fio.percentiles.is_some() { "mean and deviation" } else { "mean, deviation, min and max" };
    let latency = fio.latency.map(|kind| format!("{figures}: {kind}"));
    let percentiles = match fio.percentiles {
        Some((kind, source)) => Some(format!("percentiles, min and max: {kind}, {source}")),
        None => {
            fio.latency.map(|_| if fio.percentiles_apart { NO_PERCENTILES_TEXT } else { UNSTATED }.to_owned())
        }
    };
    let open_end = fio
        .open_end
        .map(|from| format!("percentiles of {from} ms are at least that: fio's last bin has no upper end"));
    jobs.into_iter().chain(latency).chain(percentiles).chain(open_end).chain(failed).collect()
}

pub const FIO_OTHERS: [TableColumn<AuxFigures>; 8] = [
    TableColumn::<AuxFigures>::words("", |of| Cell::name_cell(of.plural())).brief_and_paged(),
    TableColumn::<AuxFigures>::number("number", |of| Cell::Whole(of.count)).brief_and_paged(),
    TableColumn::<AuxFigures>::number("per s", |of| Cell::Figure(of.per_s, 2)).brief_and_paged(),
    TableColumn::<AuxFigures>::number("mean ms", |of| Cell::time(of.times.mean)).brief().on_page("mean"),
    TableColumn::<AuxFigures>::number("50 %", |of| of.percentile_cell(of.times.p50)).brief_and_paged(),
    TableColumn::<AuxFigures>::number("99 %", |of| of.percentile_cell(of.times.p99)).brief_and_paged(),
    TableColumn::<AuxFigures>::number("99.9 %", |of| of.percentile_cell(of.times.p999)).brief_and_paged(),
    TableColumn::<AuxFigures>::number("max ms", |of| Cell::time(of.times.max)).brief().on_page("longest"),
];

pub fn aux_figures(fio: &FioFigures) -> Vec<AuxFigures> {
    fio.trims.iter().chain(&fio.syncs).cloned().collect()
}

pub fn title(series: &FioSeries) -> String {
    let of = match series.of {
        FioSeriesOf::Latency => "total latency, ms",
        FioSeriesOf::CompletionLatency => "completion latency, ms",
        FioSeriesOf::Iops => "IOPS",
        FioSeriesOf::MibPerS => "MiB/s",
    };
    let logged = match series.logged {
        FioLogged::Maximum => ", maxima",
        FioLogged::Unknown => " (the result does not list log_avg_msec)",
        FioLogged::Mean | FioLogged::MeanAndMaximum | FioLogged::SingleIo => "",
    };
    format!("{of}, {}{logged}", line(&series.direction))
}

struct LogSeriesRow<'a> {
    series: &'a FioSeries,
    known: Vec<f64>,
}

impl<'a> LogSeriesRow<'a> {
    const COLUMNS: &'a [TableColumn<LogSeriesRow<'a>>] = &[
        TableColumn::<LogSeriesRow>::words("", |line| Cell::name_cell(title(line.series))).brief(),
        TableColumn::<LogSeriesRow>::number("intervals", |line| Cell::Whole(line.known.len() as u64)).brief(),
        TableColumn::<LogSeriesRow>::number("s each", |line| Cell::text(Some(line.series.interval_s)))
            .brief(),
        TableColumn::<LogSeriesRow>::number("lowest", |line| {
            line.figure_cell(line.known.iter().copied().fold(f64::INFINITY, f64::min))
        })
        .brief(),
        TableColumn::<LogSeriesRow>::number("mean", |line| {
            line.figure_cell(line.known.iter().sum::<f64>() / line.known.len().max(1) as f64)
        })
        .brief(),
        TableColumn::<LogSeriesRow>::number("highest", |line| {
            line.figure_cell(line.known.iter().copied().fold(0.0, f64::max))
        })
        .brief(),
    ];

    fn from_series(series: &'a FioSeries) -> LogSeriesRow<'a> {
        LogSeriesRow { series, known: series.values.iter().flatten().copied().collect() }
    }

    fn figure_cell(&self, figure: f64) -> Cell {
        let rate = matches!(self.series.of, FioSeriesOf::Iops | FioSeriesOf::MibPerS);
        Cell::Figure(figure, if rate { 2 } else { 3 })
    }
}
