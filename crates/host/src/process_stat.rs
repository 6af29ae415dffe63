//! The line `/proc/<pid>/stat` of a process (proc_pid_stat(5)).

use crate::root::Root;

pub(crate) struct ProcessStat {
    text: String,
    /// Byte range of the name, which may contain any characters.
    name: std::ops::Range<usize>,
}

impl ProcessStat {
    /// Reads the line; `None` = the process has ended.
    pub(crate) fn read(root: &Root, pid: u32) -> Option<ProcessStat> {
        let text = root.text(format!("/proc/{pid}/stat"))?;
        let name = text.find('(')? + 1..text.rfind(") ")?;
        (name.start <= name.end).then_some(ProcessStat { text, name })
    }

    pub(crate) fn name(&self) -> &str {
        &self.text[self.name.clone()]
    }

    /// Returns the state, such as `R` or `Z`.
    pub(crate) fn state(&self) -> Option<char> {
        self.field(3)?.chars().next()
    }

    pub(crate) fn parent(&self) -> Option<u32> {
        self.field(4)?.parse().ok()
    }

    /// Returns a field from 3 on, numbered as in the manual page; `None` if it is missing or negative.
    pub(crate) fn number(&self, field: usize) -> Option<u64> {
        self.field(field)?.parse().ok()
    }

    fn field(&self, number: usize) -> Option<&str> {
        self.text[self.name.end + 2..].split_ascii_whitespace().nth(number - 3)
    }
}
