//! Indentation and sizes in the two versions of DISKSPD.

use diskspd_figures::units::{NewestSize, Size};
use diskspd_profile::Compat;

/// Layout of a version's text report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub head: &'static str,
    pub span: &'static str,
    pub target: &'static str,
    /// Whether the column is from DISKSPD 2.3.
    pub newest: bool,
}

impl Style {
    pub(crate) fn for_compat(compat: Compat) -> Style {
        match compat {
            Compat::V2_2 => Style { head: "\t", span: "\t", target: "\t\t", newest: false },
            Compat::V2_3 => Style { head: "  ", span: "    ", target: "      ", newest: true },
        }
    }

    pub(crate) fn size(&self, bytes: u64) -> String {
        if self.newest { NewestSize(bytes).to_string() } else { Size(bytes).to_string() }
    }

    pub(crate) fn column(&self, bytes: u64) -> String {
        if self.newest {
            format!("{:>9}", NewestSize(bytes).to_string())
        } else {
            format!("{:6}", Size(bytes))
        }
    }

    /// Returns the left edge of an absolute range, with zero aligned to the digits of the sizes.
    pub(crate) fn range_start(&self, start: u64) -> String {
        if start == 0 { "     0   ".to_owned() } else { self.column(start) }
    }
}
