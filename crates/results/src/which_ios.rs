//! The set of I/Os in a figure.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum WhichIos {
    #[default]
    Total,
    Read,
    Write,
}

impl WhichIos {
    /// All variants in order, with their names in tables.
    pub const ALL: [(WhichIos, &str); 3] =
        [(WhichIos::Total, "total"), (WhichIos::Read, "read"), (WhichIos::Write, "write")];

    pub fn name(self) -> &'static str {
        WhichIos::ALL.iter().find(|(of, _)| *of == self).map_or("", |(_, name)| name)
    }

    pub fn by_name(name: &str) -> Option<WhichIos> {
        WhichIos::ALL.iter().find(|(_, known)| *known == name).map(|(of, _)| *of)
    }
}
