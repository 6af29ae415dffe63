//! Takes the elements of long lists out of a JSON text while it is read, so that the text is not in memory as
//! a whole. It is here because the crates that read records are not optimized in all builds.

#[derive(Debug)]
pub struct ListLocation {
    /// Names of the members on the path to the list, from the document on.
    pub names: &'static [&'static [u8]],
    /// Depths of the objects with these members; 1 = the document.
    pub objects: &'static [usize],
}

impl ListLocation {
    /// Depth of the list; its elements are one level deeper.
    fn depth(&self) -> usize {
        self.objects.last().map_or(0, |depth| depth + 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPart<'a> {
    Begin,
    Element(&'a [u8]),
}

/// Maximum length of the name of a list; longer texts are not compared.
const MAX_NAME_BYTES: usize = 16;

/// Error of a text that is not a document, or has a list with other elements than objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListFormatError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ListState {
    #[default]
    Outside,
    /// After the start: an element or the end.
    Opened,
    Element,
    /// After an element: a comma or the end.
    After,
    Comma,
}

/// Parser that separates the elements of lists from a document.
#[derive(Debug)]
pub struct ListSplitter {
    places: &'static [ListLocation],
    /// Number of matching names of each location in the open objects, from the outermost.
    found: Vec<usize>,
    /// Index of the location whose list is open.
    open: usize,
    list: ListState,
    skeleton: Vec<u8>,
    element: Vec<u8>,
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// Last text, which may be the name of a member.
    last: Vec<u8>,
}

impl ListSplitter {
    pub fn new(places: &'static [ListLocation]) -> ListSplitter {
        let (skeleton, element, last) = Default::default();
        let (open, depth, list) = Default::default();
        let (in_text, is_escaped) = (false, false);
        let found = vec![0; places.len()];
        ListSplitter { places, found, open, list, skeleton, element, depth, in_text, is_escaped, last }
    }

    /// Returns the text without the elements of the lists.
    pub fn into_skeleton(self) -> Vec<u8> {
        self.skeleton
    }

    /// Takes the next bytes. `each` gets the number of the place with each part of its lists.
    ///
    /// # Errors
    /// Fails with the error of `each`, or an unusual text.
    pub fn take(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(usize, ListPart) -> Result<(), ListFormatError>,
    ) -> Result<(), ListFormatError> {
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            if !matches!(self.list, ListState::Outside | ListState::Element) {
                self.step_between(byte)?;
                rest = behind;
                continue;
            }
            let plain = if self.in_text { self.take_text(rest) } else { count_plain(rest) };
            let length = plain.min(rest.len() - 1) + 1;
            let (piece, behind) = rest.split_at(length);
            match self.list {
                ListState::Element => self.element.extend_from_slice(piece),
                _ => self.skeleton.extend_from_slice(piece),
            }
            rest = behind;
            if plain < length && !self.in_text {
                self.step(piece[length - 1])?;
                self.report(each)?;
            } else if plain < length {
                self.in_text = false;
            }
        }
        Ok(())
    }

    fn report(
        &mut self,
        each: &mut dyn FnMut(usize, ListPart) -> Result<(), ListFormatError>,
    ) -> Result<(), ListFormatError> {
        match self.list {
            ListState::Opened => each(self.open, ListPart::Begin),
            ListState::Element if self.depth == self.places[self.open].depth() => {
                self.list = ListState::After;
                each(self.open, ListPart::Element(&self.element))?;
                self.element.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Processes a byte of a list outside of its elements.
    fn step_between(&mut self, byte: u8) -> Result<(), ListFormatError> {
        self.list = match (byte, self.list) {
            (b' ' | b'\n' | b'\r' | b'\t', list) => list,
            (b'{', ListState::Opened | ListState::Comma) => {
                self.element.push(byte);
                self.depth += 1;
                ListState::Element
            }
            (b',', ListState::After) => ListState::Comma,
            (b']', ListState::Opened | ListState::After) => {
                self.skeleton.push(byte);
                self.depth -= 1;
                self.found[self.open] = self.places[self.open].names.len() - 1;
                ListState::Outside
            }
            _ => return Err(ListFormatError),
        };
        Ok(())
    }

    /// Returns the number of bytes before the closing quote.
    fn take_text(&mut self, bytes: &[u8]) -> usize {
        let mut is_escaped = self.is_escaped;
        let end = bytes.iter().position(|byte| match byte {
            _ if is_escaped => {
                is_escaped = false;
                false
            }
            b'\\' => {
                is_escaped = true;
                false
            }
            byte => *byte == b'"',
        });
        self.is_escaped = is_escaped;
        let length = end.unwrap_or(bytes.len());
        let room = (MAX_NAME_BYTES + 1).saturating_sub(self.last.len());
        self.last.extend_from_slice(&bytes[..length.min(room)]);
        length
    }

    /// Processes a significant byte outside of texts.
    fn step(&mut self, byte: u8) -> Result<(), ListFormatError> {
        match byte {
            b'"' => {
                self.in_text = true;
                self.last.clear();
            }
            b':' if self.list == ListState::Outside => self.begin_member(),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.checked_sub(1).ok_or(ListFormatError)?;
                // The members of an object that ended do not lead anywhere.
                for (found, place) in self.found.iter_mut().zip(self.places) {
                    while found.checked_sub(1).is_some_and(|last| place.objects[last] > self.depth) {
                        *found -= 1;
                    }
                }
            }
            _ => {}
        }
        if byte == b'[' && self.list == ListState::Outside {
            let mut open = self.found.iter().zip(self.places);
            let is_open = |(found, place): (&usize, &ListLocation)| {
                *found == place.names.len() && place.depth() == self.depth
            };
            if let Some(open) = open.position(is_open) {
                (self.open, self.list) = (open, ListState::Opened);
            }
        }
        Ok(())
    }

    fn begin_member(&mut self) {
        for (found, place) in self.found.iter_mut().zip(self.places) {
            let level = place.objects.iter().position(|depth| *depth == self.depth);
            if let Some(level) = level.filter(|level| *found >= *level) {
                *found = level + usize::from(self.last == place.names[level]);
            }
        }
    }
}

/// Returns the number of bytes before a significant one, outside of texts.
fn count_plain(bytes: &[u8]) -> usize {
    let has_meaning = |byte: &u8| matches!(byte, b'"' | b':' | b'{' | b'}' | b'[' | b']');
    bytes.iter().position(has_meaning).unwrap_or(bytes.len())
}

/// Parser of numbers in JSON text without white space.
#[derive(Debug, Clone, Copy)]
pub struct CompactText<'a>(pub &'a [u8]);

impl CompactText<'_> {
    /// Skips this text; `None` = another text follows.
    #[inline]
    pub fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    /// Parses a whole number; `None` = none follows, or it is too large.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        let mut length = 0;
        while let Some(digit) =
            self.0.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)
        {
            number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
            length += 1;
        }
        let is_number = length == 1 || length > 1 && self.0[0] != b'0';
        self.0 = &self.0[length..];
        is_number.then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [ListLocation; 2] = [
        ListLocation { names: &[b"hosts", b"threads"], objects: &[1, 3] },
        ListLocation { names: &[b"hosts", b"targets"], objects: &[1, 3] },
    ];

    fn split(text: &str, step: usize) -> Option<(String, Vec<String>)> {
        let mut splitter = ListSplitter::new(&PLACES);
        let mut parts = Vec::new();
        let mut each = |place: usize, part: ListPart| {
            parts.push(match part {
                ListPart::Begin => format!("{place}"),
                ListPart::Element(text) => format!("{place} {}", String::from_utf8_lossy(text)),
            });
            Ok(())
        };
        text.as_bytes().chunks(step).try_for_each(|bytes| splitter.take(bytes, &mut each)).ok()?;
        Some((String::from_utf8(splitter.into_skeleton()).unwrap(), parts))
    }

    #[test]
    fn only_lists_at_known_locations_are_extracted() {
        let text = r#"{"threads":[{}],"hosts":[{"threads":[{"a":"]}\"{","threads":[{}]}, {}],
            "x":{"threads":[1]},"targets" : [ ]},{"targets":[{"b":[[1,2]]}]}],"more":{"targets":[{}]}}"#;
        let skeleton = r#"{"threads":[{}],"hosts":[{"threads":[],
            "x":{"threads":[1]},"targets" : []},{"targets":[]}],"more":{"targets":[{}]}}"#;
        let parts = ["0", r#"0 {"a":"]}\"{","threads":[{}]}"#, "0 {}", "1", "1", r#"1 {"b":[[1,2]]}"#];
        for step in [1, 2, 3, 7, 1000] {
            let (found, elements) = split(text, step).unwrap();
            assert_eq!((found.as_str(), elements), (skeleton, parts.map(str::to_owned).to_vec()), "{step}");
        }
    }

    #[test]
    fn non_object_elements_are_rejected() {
        for list in ["1", "{},", ",{}", "{}{}", "[]", "null"] {
            assert_eq!(split(&format!(r#"{{"hosts":[{{"threads":[{list}]}}]}}"#), 3), None, "{list}");
        }
        assert_eq!(split("}", 1), None);
    }

    #[test]
    fn compact_numbers_follow_the_rules_of_json() {
        let number = |text: &str| CompactText(text.as_bytes()).number();
        for (text, expected) in [
            ("0", Some(0)),
            ("7,", Some(7)),
            ("18446744073709551615]", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("01", None),
            ("-1", None),
            (" 1", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }
}
