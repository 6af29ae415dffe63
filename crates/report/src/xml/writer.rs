//! Elements and lines, well-formed by construction.

use super::number::Number;
use diskspd_profile::xml::text;
use std::fmt::Display;
use std::io::{self, Write};

/// Writer of one element per line, indented by two spaces per level.
pub(super) struct Writer<'a> {
    sink: &'a mut dyn Write,
    buffer: Vec<u8>,
    indent: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(sink: &'a mut dyn Write) -> Writer<'a> {
        Writer { sink, buffer: Vec::new(), indent: 0 }
    }

    /// Writes `<name>`; the following elements are one level deeper until it is closed.
    pub(super) fn open(&mut self, name: &str) {
        self.open_with(name, &[]);
    }

    pub(super) fn open_with(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        self.write_tag(name, attributes, ">\n");
        self.indent += 2;
    }

    pub(super) fn close(&mut self, name: &str) {
        self.indent = self.indent.saturating_sub(2);
        put!(self.buffer, "{:1$}</{name}>\n", "", self.indent);
    }

    /// Writes `<name attributes/>`. Attributes need no escaping: numbers, or results of [`attribute`].
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        self.write_tag(name, attributes, "/>\n");
    }

    /// Writes an element with numbers only, for millions of elements.
    pub(super) fn numbers(&mut self, name: &str, attributes: &[(&str, Number)]) {
        self.buffer.resize(self.buffer.len() + self.indent, b' ');
        self.buffer.push(b'<');
        self.buffer.extend_from_slice(name.as_bytes());
        for (attribute, number) in attributes {
            self.buffer.push(b' ');
            self.buffer.extend_from_slice(attribute.as_bytes());
            self.buffer.extend_from_slice(b"=\"");
            number.write(&mut self.buffer);
            self.buffer.push(b'"');
        }
        self.buffer.extend_from_slice(b"/>\n");
    }

    /// Writes an element with a number or a keyword.
    pub(super) fn value(&mut self, name: &str, value: impl Display) {
        put!(self.buffer, "{:1$}<{name}>{value}</{name}>\n", "", self.indent);
    }

    pub(super) fn optional_element(&mut self, name: &str, value: Option<impl Display>) {
        value.iter().for_each(|value| self.value(name, value));
    }

    /// Writes an element with any text.
    pub(super) fn text(&mut self, name: &str, value: &[u8]) {
        put!(self.buffer, "{:1$}<{name}>", "", self.indent);
        text::write(&mut self.buffer, value);
        put!(self.buffer, "</{name}>\n");
    }

    pub(super) fn lines(&mut self, write: impl FnOnce(&mut Vec<u8>, usize)) {
        write(&mut self.buffer, self.indent);
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the document with the outermost element; no line feed follows.
    pub(super) fn finish(mut self, name: &str) -> io::Result<()> {
        put!(self.buffer, "</{name}>");
        self.flush()
    }

    fn write_tag(&mut self, name: &str, attributes: &[(&str, &dyn Display)], end: &str) {
        put!(self.buffer, "{:1$}<{name}", "", self.indent);
        for (attribute, value) in attributes {
            put!(self.buffer, " {attribute}=\"{value}\"");
        }
        put!(self.buffer, "{end}");
    }
}

pub(super) fn attribute(value: &str) -> String {
    let mut escaped = Vec::new();
    text::write(&mut escaped, value.as_bytes());
    String::from_utf8_lossy(&escaped).replace('"', "&quot;")
}
