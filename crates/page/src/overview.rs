//! Several time spans on one page: a row for each, named by its work, with a link to its section.

use super::input::{PageSection, Run};
use super::page::heading;
use super::span_columns::{SpanRow, iops, mean, mib_per_s, p99};
use super::verdict::{span_id, span_verdict};
use diskspd_figures::units::table::{Cell, TableColumn};
use diskspd_report::page_table::PageTable;
use diskspd_report::workload_text as workload;
use diskspd_results::{RunVerdict, SpanSummary};
use maud::{Markup, html};

struct WorkloadRow<'a> {
    name: String,
    link: String,
    span: Option<&'a SpanSummary>,
    verdict: RunVerdict,
}

impl<'a> WorkloadRow<'a> {
    const COLUMNS: &'a [TableColumn<WorkloadRow<'a>>] = &[
        TableColumn::<WorkloadRow>::words("workload", |line| Cell::Named {
            name: line.name.clone(),
            beside: String::new(),
            link: Some(line.link.clone()),
            kind: "",
        })
        .paged(),
        iops(),
        mib_per_s(),
        mean(),
        p99(),
        TableColumn::<WorkloadRow>::words("verdict", |line| line.verdict.verdict_cell()).paged(),
        TableColumn::<WorkloadRow>::words("severity", |line| line.verdict.severity_cell()).paged(),
    ];
}

impl SpanRow for WorkloadRow<'_> {
    fn span(&self) -> Option<&SpanSummary> {
        self.span
    }
}

pub(crate) fn section(run: &Run, place: &PageSection) -> Markup {
    let names = workload::names(&run.known);
    let line = |(number, name): (usize, &String)| WorkloadRow {
        name: format!("{number}. {name}"),
        link: span_id(&place.prefix, number),
        span: run.known.time_spans.get(number - 1).and_then(Option::as_ref),
        verdict: span_verdict(run, number),
    };
    let lines: Vec<WorkloadRow> = (1..).zip(&names).map(line).collect();
    html! {
        section.overview {
            (heading(place.level, "Workloads"))
            (PageTable::new("workloads", "Figures of each workload").render(WorkloadRow::COLUMNS, &lines))
        }
    }
}
