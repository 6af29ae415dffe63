//! Figures in the cells of tables.

use crate::error::LineError;
use crate::number::is_undefined;
use diskspd_figures::units::Millis;
use diskspd_profile::xml::error::quote;

pub(super) fn amount(cell: &str, line: usize) -> Result<u64, LineError> {
    cell.parse().map_err(|_| cell_fault(cell, "a whole number", line))
}

/// Returns a figure; `None` = empty, or a non-finite number of C libraries.
pub(super) fn figure(cell: &str, line: usize) -> Result<Option<f64>, LineError> {
    if cell == "N/A" || is_undefined(cell) {
        return Ok(None);
    }
    match cell.parse() {
        Ok(figure) if (0.0..f64::INFINITY).contains(&figure) => Ok(Some(figure)),
        _ => Err(cell_fault(cell, "a number from 0 on, with a point before its decimals", line)),
    }
}

/// Returns a time in ms; `None` as for figures.
pub(super) fn time(cell: &str, line: usize) -> Result<Option<Millis>, LineError> {
    Ok(figure(cell, line)?.map(Millis::new))
}

fn cell_fault(cell: &str, expected: &str, line: usize) -> LineError {
    let what = format!("{} is not possible here: expected {expected}", quote(cell));
    LineError::at_line(line, what).hint("was the file edited, cut off or damaged?")
}
