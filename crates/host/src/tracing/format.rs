//! Formats of tracepoints: the position of each field in a record. They vary between kernels, so they are
//! read from the kernel.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFormat {
    pub id: u64,
    pub fields: Vec<(String, Field)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Field {
    /// Offset in bytes.
    pub offset: usize,
    /// Length in bytes.
    pub size: usize,
}

impl EventFormat {
    /// Parses the text of a format; `None` = it has no number.
    pub fn parse(text: &str) -> Option<EventFormat> {
        let id = text.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()?;
        Some(EventFormat { id, fields: fields(text).collect() })
    }

    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, field)| *field)
    }

    /// Returns the first field in a filter that this tracepoint lacks.
    pub fn missing<'a>(&self, filter: &'a str) -> Option<&'a str> {
        let outside_quotes = filter.split('"').step_by(2);
        let words = outside_quotes.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let mut names = words.filter(|word| word.starts_with(|c: char| c.is_alphabetic()));
        names.find(|name| self.field(name).is_none())
    }
}

pub(super) fn fields(text: &str) -> impl Iterator<Item = (String, Field)> {
    text.lines().filter_map(field)
}

/// Parses a line such as `field:char rwbs[10]; offset:34; size:10; signed:0;`, with tabs.
fn field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.trim().split(';').map(str::trim);
    let declaration = parts.next()?.strip_prefix("field:")?;
    let name = declaration.split_whitespace().next_back()?.trim_start_matches('*');
    let name = name.split('[').next()?.to_owned();
    let mut number = |key: &str| parts.next()?.strip_prefix(key)?.strip_prefix(':')?.parse().ok();
    Some((name, Field { offset: number("offset")?, size: number("size")? }))
}

#[cfg(test)]
mod tests {
    use super::super::block_format::BlockFormat;
    use super::*;

    const COMPLETE: &str = include_str!("../../../../tests/data/tracing/block_rq_complete-6.18");
    const OLDER: &str = include_str!("../../../../tests/data/tracing/block_rq_complete-5.15");

    #[test]
    fn tracepoint_formats_of_kernels_are_parsed() {
        for (text, id, letters) in [(COMPLETE, 2107, (34, 10)), (OLDER, 1231, (32, 8))] {
            let format = EventFormat::parse(text).expect("a format");
            let letters = Field { offset: letters.0, size: letters.1 };
            let expected = BlockFormat { id, device: 8, sector: 16, sectors: 24, letters };
            assert_eq!(BlockFormat::from_event(&format), Some(expected));
            assert_eq!(format.field("common_type"), Some(Field { offset: 0, size: 2 }));
            assert_eq!(format.field("cmd").map(|field| field.size), Some(4));
        }
    }

    #[test]
    fn pointer_fields_and_damaged_lines_are_handled() {
        let text = "ID: 5\n\tfield:const void * skaddr;\toffset:8;\tsize:8;\tsigned:0;\n\
                    \tfield:int *where;\toffset:16;\tsize:8;\tsigned:0;\n\
                    \tfield:int broken;\toffset:x;\tsize:8;\n\
                    \tfield:int cut;\toffset:1\n";
        let format = EventFormat::parse(text).expect("a format");
        let names: Vec<&str> = format.fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((format.id, names), (5, vec!["skaddr", "where"]));
        assert_eq!(EventFormat::parse(""), None);
        assert_eq!(EventFormat::parse("ID: x\n"), None);
        assert_eq!(BlockFormat::from_event(&format), None);
    }

    #[test]
    fn conditions_name_fields_that_may_be_missing() {
        let format = EventFormat::parse(COMPLETE).expect("a format");
        for (filter, missing) in [
            ("", None),
            ("rwbs ~ \"*R*\"", None),
            ("dev == 1 && (sector > 2 || !(nr_sector & 65536))", None),
            ("dev == 1 && group_dead == 1", Some("group_dead")),
        ] {
            assert_eq!(format.missing(filter), missing, "{filter}");
        }
    }
}
