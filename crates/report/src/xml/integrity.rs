//! Verified sectors: an element that DISKSPD's results don't have (`--xml-verdict`).

use super::writer::Writer;
use diskspd_model::results::IntegrityTable;

/// Writes `<Integrity>` of a time span, with each target's totals over all threads.
pub fn write(out: &mut Writer, table: &IntegrityTable) {
    out.open("Integrity");
    for row in &table.rows {
        let counts = &row.results.counts;
        out.open("Target");
        out.text("Path", row.path.as_bytes());
        out.value("StampedSectors", counts.stamped);
        out.value("VerifiedSectors", counts.verified);
        out.value("UnknownSectors", counts.unknown);
        out.value("UndecidedSectors", counts.undecided);
        out.value("AcknowledgedUnits", counts.acknowledged);
        out.value("FailedSectors", counts.wrong());
        for failed in &row.results.failures {
            out.open("FailedSector");
            out.value("Fault", failed.fault.name());
            out.value("Offset", failed.offset);
            out.value("Version", failed.expected);
            if let Some(found) = &failed.found {
                out.value("FoundVersion", found.generation);
                out.value("FoundOffset", found.offset);
                out.value("FoundTarget", found.target);
                out.value("Writer", found.writer);
            }
            out.value("AtMicroseconds", failed.at_us);
            out.close("FailedSector");
        }
        out.close("Target");
    }
    out.close("Integrity");
}
