//! `diskspd devices`: the block devices of the machine, as a table or JSON
//! (`docs/reference/devices.schema.json`).

use crate::cli::Exit;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output;
use crate::host::devices::{self, Disk};
use crate::host::refusal::{DiskUse, Use};
use crate::host::root::Root;
use crate::sys::standard_output;
use crate::units::Size;
use crate::units::table::{self, Cell, TableColumn};

pub(crate) fn devices(json: bool) -> Result<Exit, CommandError> {
    let disks = devices::list(&Root::live_system());
    match json {
        true => output::json_to_stdout("the list", &disks),
        false => {
            let text = table::text_within(&COLUMNS, &disks, standard_output::room());
            output::to_stdout(text.as_bytes())
        }
    }
}

const COLUMNS: [TableColumn<Disk>; 10] = [
    TableColumn::<Disk>::words("#", |disk| Cell::Text(format!("#{}", disk.number))).brief(),
    TableColumn::<Disk>::words("device", |disk| Cell::Text(disk.path.display().to_string())).brief(),
    TableColumn::<Disk>::words("size", |disk| Cell::text(Some(Size(disk.size)).filter(|_| disk.size > 0)))
        .brief(),
    TableColumn::<Disk>::words("model", |disk| {
        let details = &disk.details;
        let model = [&details.model, &details.mapper_name, &details.backing_file];
        Cell::text(model.into_iter().flatten().next())
    })
    .brief()
    .spare(1),
    TableColumn::<Disk>::words("rotates", |disk| {
        Cell::text(disk.details.rotational.map(|yes| if yes { "yes" } else { "no" }))
    })
    .brief()
    .spare(2),
    TableColumn::<Disk>::words("block log/phys", |disk| {
        let known = |size: Option<u64>| size.map_or("-".to_owned(), |size| size.to_string());
        let details = &disk.details;
        let [logical, physical] = [details.logical_block_size, details.physical_block_size];
        Cell::Text(format!("{}/{}", known(logical.map(Into::into)), known(physical.map(Into::into))))
    })
    .brief()
    .spare(3),
    TableColumn::<Disk>::words("write cache", |disk| Cell::text(disk.details.write_cache.as_ref()))
        .brief()
        .spare(4),
    TableColumn::<Disk>::words("scheduler", |disk| Cell::text(disk.details.scheduler.as_ref()))
        .brief()
        .spare(5),
    TableColumn::<Disk>::words("queue", |disk| Cell::text(disk.details.queue_depth)).brief().spare(6),
    TableColumn::<Disk>::words("used by", uses).brief(),
];

fn uses(disk: &Disk) -> Cell {
    let uses: Vec<String> = disk.uses.iter().map(|each| use_text(disk, each)).collect();
    match (&disk.unchecked, uses.is_empty()) {
        (Some(_), true) => Cell::Text("unknown".into()),
        (None, true) => Cell::Missing,
        (_, false) => Cell::Text(uses.join(", ")),
    }
}

fn use_text(disk: &Disk, used: &Use) -> String {
    let how = match &used.how {
        DiskUse::Mounted { at, file_system } => format!("{at} ({file_system})"),
        DiskUse::Member { file_system } => format!("member of a {file_system}"),
        DiskUse::Swap => "swap".into(),
        DiskUse::HeldBy { holder } => holder.clone(),
        DiskUse::Served { by } => by.clone(),
        DiskUse::Locked { .. } => "locked".into(),
        DiskUse::Leased { .. } => "leased".into(),
    };
    let itself =
        used.device == disk.path.to_string_lossy() || used.device.ends_with(&format!("({})", disk.name));
    if itself { how } else { format!("{}: {how}", used.device) }
}
