//! The schema as an XML Schema document (`docs/reference/profile.xsd`), for checks by other programs. It
//! is generated from the reader's table.

use super::elements::PROFILE;
use super::own::{NAMESPACE, PREFIX};
use super::schema::{Attribute, Content, Element, Kind};
use std::collections::BTreeSet;
use std::fmt::Write;

const HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!-- A DISKSPD profile, as diskspd -X reads it and diskspd -Rpxml writes it. Made from the program's own \
table. -->
";
const LINUX_SCHEMA_HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!-- What DISKSPD's profiles have no words for. Made from the program's own table. -->
";

/// Returns the schema of DISKSPD's elements with references to this project's; ends with a line feed.
pub fn schema() -> String {
    let mut text = HEAD.to_owned();
    let _ = writeln!(text, "<xs:schema xmlns:xs=\"{XS}\" xmlns:linux=\"{NAMESPACE}\">");
    let _ = writeln!(text, "  <xs:import namespace=\"{NAMESPACE}\" schemaLocation=\"{LINUX_SCHEMA}\"/>");
    let mut numbers = BTreeSet::new();
    collect_numbers(&PROFILE, &mut numbers);
    numbers.into_iter().for_each(|(lowest, highest)| number_type(&mut text, lowest, highest));
    words_with_attributes(&mut text, &PROFILE);
    write_element(&mut text, &PROFILE, 2, "");
    text.push_str("</xs:schema>\n");
    text
}

const XS: &str = "http://www.w3.org/2001/XMLSchema";
pub const LINUX_SCHEMA: &str = "profile-linux.xsd";

/// Returns the schema of the additional elements inside DISKSPD's elements; ends with a line feed.
pub fn own_schema() -> String {
    let mut text = LINUX_SCHEMA_HEAD.to_owned();
    let _ = writeln!(
        text,
        "<xs:schema xmlns:xs=\"{XS}\" xmlns=\"{NAMESPACE}\" xmlns:linux=\"{NAMESPACE}\" \
         targetNamespace=\"{NAMESPACE}\">"
    );
    let (mut found, mut numbers) = (Vec::new(), BTreeSet::new());
    own_elements(&PROFILE, &mut found);
    found.iter().for_each(|own| collect_numbers(own, &mut numbers));
    numbers.into_iter().for_each(|(lowest, highest)| number_type(&mut text, lowest, highest));
    for own in found {
        top_element(&mut text, own);
    }
    text.push_str("</xs:schema>\n");
    text
}

fn own_elements(within: &'static Element, found: &mut Vec<&'static Element>) {
    for child in within.content.children() {
        if child.name.starts_with(PREFIX) && !found.iter().any(|known| known.name == child.name) {
            found.push(child);
        }
        own_elements(child, found);
    }
}

fn top_element(text: &mut String, own: &Element) {
    let name = own.name.trim_start_matches(PREFIX);
    write_element(text, &Element { name, attributes: own.attributes, content: own.content }, 2, "");
}

fn collect_numbers(element: &Element, found: &mut BTreeSet<(u64, u64)>) {
    let own = match element.content {
        Content::Value(kind) => Some(kind),
        _ => None,
    };
    for kind in own.into_iter().chain(element.attributes.iter().map(|a| a.kind)) {
        if let Kind::Number(lowest, highest) = kind {
            found.insert((lowest, highest));
        }
    }
    let others = element.content.children().into_iter().filter(|child| !child.name.starts_with(PREFIX));
    others.for_each(|child| collect_numbers(child, found));
}

fn words_with_attributes(text: &mut String, element: &Element) {
    if let (Content::Value(Kind::Word(words)), false) = (&element.content, element.attributes.is_empty()) {
        let name = format!(" name=\"{}\"", words_name(element));
        write_tag(text, 2, "xs:simpleType", &name, |text, indent| write_enumeration(text, words, indent));
    }
    element.content.children().into_iter().for_each(|child| words_with_attributes(text, child));
}

fn words_name(element: &Element) -> String {
    format!("wordsOf{}", element.name)
}

fn write_enumeration(text: &mut String, words: &[&str], indent: usize) {
    write_tag(text, indent, "xs:restriction", " base=\"xs:string\"", |text, indent| {
        for word in words {
            let _ = writeln!(text, "{:indent$}<xs:enumeration value=\"{word}\"/>", "");
        }
    });
}

/// Writes a type of digits only, because numbers of XML Schema may have a sign.
fn number_type(text: &mut String, lowest: u64, highest: u64) {
    let name = type_name(Kind::Number(lowest, highest)).unwrap_or_default();
    let _ = writeln!(text, "  <xs:simpleType name=\"{name}\">");
    write_tag(text, 4, "xs:restriction", " base=\"xs:unsignedLong\"", |text, indent| {
        let bounds = [("minInclusive", lowest), ("maxInclusive", highest)];
        let _ = writeln!(text, "{:indent$}<xs:pattern value=\"[0-9]+\"/>", "");
        for (facet, value) in bounds {
            let _ = writeln!(text, "{:indent$}<xs:{facet} value=\"{value}\"/>", "");
        }
    });
    text.push_str("  </xs:simpleType>\n");
}

/// Returns the name of a type; `None` for word lists, which are inline.
fn type_name(kind: Kind) -> Option<String> {
    match kind {
        Kind::Number(lowest, highest) => Some(format!("from{lowest}to{highest}")),
        Kind::Bool => Some("xs:boolean".to_owned()),
        Kind::Text => Some("xs:string".to_owned()),
        Kind::Word(_) => None,
    }
}

/// Writes an element; `occurs` are the attributes of its number.
fn write_element(text: &mut String, element: &Element, indent: usize, occurs: &str) {
    if element.name.starts_with(PREFIX) {
        let _ = writeln!(text, "{:indent$}<xs:element ref=\"{}\"{occurs}/>", "", element.name);
        return;
    }
    let whole = element;
    let Element { name, attributes, content } = element;
    if let (Content::Value(kind), true) = (content, attributes.is_empty()) {
        return write_typed(text, "element", name, *kind, occurs, indent);
    }
    write_tag(text, indent, "xs:element", &format!(" name=\"{name}\"{occurs}"), |text, indent| {
        write_tag(text, indent, "xs:complexType", "", |text, indent| match content {
            Content::Value(kind) => write_tag(text, indent, "xs:simpleContent", "", |text, indent| {
                let base = type_name(*kind).unwrap_or_else(|| words_name(whole));
                let base = format!(" base=\"{base}\"");
                write_tag(text, indent, "xs:extension", &base, |text, indent| {
                    attributes.iter().for_each(|a| write_attribute(text, a, indent));
                });
            }),
            _ => {
                write_children(text, content, indent);
                attributes.iter().for_each(|a| write_attribute(text, a, indent));
            }
        });
    });
}

fn write_children(text: &mut String, content: &Content, indent: usize) {
    match content {
        Content::Group(members) => write_tag(text, indent, "xs:all", "", |text, indent| {
            for child in *members {
                write_element(
                    text,
                    &child.element,
                    indent,
                    if child.required { "" } else { " minOccurs=\"0\"" },
                );
            }
        }),
        Content::One(members) => write_tag(text, indent, "xs:choice", "", |text, indent| {
            members.iter().for_each(|member| write_element(text, member, indent, ""));
        }),
        Content::Many(members) => write_tag(text, indent, "xs:choice", "", |text, indent| {
            for member in *members {
                write_element(text, member, indent, " maxOccurs=\"unbounded\"");
            }
        }),
        Content::Value(_) | Content::Empty => {}
    }
}

fn write_attribute(text: &mut String, attribute: &Attribute, indent: usize) {
    let required = if attribute.required { " use=\"required\"" } else { "" };
    write_typed(text, "attribute", attribute.name, attribute.kind, required, indent);
}

fn write_typed(text: &mut String, what: &str, name: &str, kind: Kind, occurs: &str, indent: usize) {
    match (type_name(kind), kind) {
        (None, Kind::Word(words)) => {
            let attributes = format!(" name=\"{name}\"{occurs}");
            write_tag(text, indent, &format!("xs:{what}"), &attributes, |text, indent| {
                write_tag(text, indent, "xs:simpleType", "", |text, indent| {
                    write_enumeration(text, words, indent)
                });
            });
        }
        (kind, _) => {
            let kind = kind.unwrap_or_default();
            let _ = writeln!(text, "{:indent$}<xs:{what} name=\"{name}\" type=\"{kind}\"{occurs}/>", "");
        }
    }
}

fn write_tag(
    text: &mut String,
    indent: usize,
    name: &str,
    attributes: &str,
    inner: impl FnOnce(&mut String, usize),
) {
    let _ = writeln!(text, "{:indent$}<{name}{attributes}>", "");
    inner(text, indent + 2);
    let _ = writeln!(text, "{:indent$}</{name}>", "");
}
