//! `diskspd devices`: the block devices of the machine, as a table or JSON
//! (`docs/reference/devices.schema.json`).

use super::not_done::NotDone;
use super::output;
use crate::cli::Exit;
use crate::host::devices::{self, Disk};
use crate::host::refusal::{How, Use};
use crate::host::root::Root;
use crate::units::Size;
use crate::units::visible::line;
use std::fmt::Write;

/// Lists them.
///
/// # Errors
/// The list can't be written.
pub fn devices(json: bool) -> Result<Exit, NotDone> {
    let disks = devices::list(&Root::live());
    match json {
        true => output::json_to_stdout("the list", &disks),
        false => output::to_stdout(disk_table(&disks).as_bytes()),
    }
}

const HEADINGS: [&str; 10] = [
    "#",
    "device",
    "size",
    "model",
    "rotates",
    "block log/phys",
    "write cache",
    "scheduler",
    "queue",
    "used by",
];

/// The table for people: columns as wide as their widest cell; `-` = not known, or nothing.
fn disk_table(disks: &[Disk]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(disks.iter().map(disk_row));
    let mut widths = [0; HEADINGS.len()];
    // What a model or the file behind a device is called has its place within a line.
    for cell in rows.iter_mut().flatten() {
        *cell = line(cell).into_owned();
    }
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn disk_row(disk: &Disk) -> [String; HEADINGS.len()] {
    fn known_text<T: ToString>(value: Option<T>) -> String {
        value.map_or("-".into(), |value| value.to_string())
    }
    let details = &disk.details;
    let model = [&details.model, &details.mapper_name, &details.backing_file];
    let uses: Vec<String> = disk.uses.iter().map(|each| use_text(disk, each)).collect();
    [
        format!("#{}", disk.number),
        disk.path.display().to_string(),
        if disk.size > 0 { Size(disk.size).to_string() } else { "-".into() },
        known_text(model.into_iter().flatten().next()),
        known_text(details.rotational.map(|yes| if yes { "yes" } else { "no" })),
        format!("{}/{}", known_text(details.logical_block_size), known_text(details.physical_block_size)),
        known_text(details.write_cache.as_ref()),
        known_text(details.scheduler.as_ref()),
        known_text(details.queue_depth),
        match (&disk.unchecked, uses.is_empty()) {
            (Some(_), true) => "unknown".into(),
            (None, true) => "-".into(),
            (_, false) => uses.join(", "),
        },
    ]
}

/// One use: where a file system is mounted, what holds it; and by which device, if not by the disk itself.
fn use_text(disk: &Disk, used: &Use) -> String {
    let how = match &used.how {
        How::Mounted { at, file_system } => format!("{at} ({file_system})"),
        How::Member { file_system } => format!("member of a {file_system}"),
        How::Swap => "swap".into(),
        How::HeldBy { holder } => holder.clone(),
        How::Served { by } => by.clone(),
        How::Locked { .. } => "locked".into(),
        How::Leased { .. } => "leased".into(),
    };
    let itself =
        used.device == disk.path.to_string_lossy() || used.device.ends_with(&format!("({})", disk.name));
    if itself { how } else { format!("{}: {how}", used.device) }
}
