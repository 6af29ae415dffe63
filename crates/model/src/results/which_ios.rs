//! Which I/Os a figure is of.

/// The I/Os that a figure is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum WhichIos {
    /// Reads and writes.
    #[default]
    Total,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl WhichIos {
    /// All, as tables name them, in order.
    pub const ALL: [(WhichIos, &str); 3] =
        [(WhichIos::Total, "total"), (WhichIos::Read, "read"), (WhichIos::Write, "write")];

    /// As tables name it.
    pub fn name(self) -> &'static str {
        WhichIos::ALL.iter().find(|(of, _)| *of == self).map_or("", |(_, name)| name)
    }

    /// That of a name.
    pub fn named(name: &str) -> Option<WhichIos> {
        WhichIos::ALL.iter().find(|(_, known)| *known == name).map(|(of, _)| *of)
    }
}
