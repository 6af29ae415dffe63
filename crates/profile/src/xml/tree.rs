//! Parsing of text to a schema-valid tree, up to the first error.

use super::elements::PROFILE;
use super::error::{XmlErrorAt, check_time_spans, quote};
use super::own;
use super::schema::{Child, Content, Element, Kind};
use super::tokens::{Token, Tokens, attribute_text, shorten};
use super::values::{Value, is_blank};
use diskspd_base::limits::TARGETS;
use quick_xml::events::BytesStart;

/// Maximum number of attributes, including namespaces, because the check for duplicates takes quadratic time.
const MAX_ATTRIBUTES: usize = 64;

/// Parsed element that matches the schema.
#[derive(Debug)]
pub(super) struct Node {
    pub schema: &'static Element,
    /// Byte offset of its start tag.
    pub position: usize,
    pub attributes: Vec<(&'static str, Value)>,
    pub value: Option<Value>,
    pub children: Vec<Node>,
}

impl Node {
    pub(super) fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.schema.name == name)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().find(|(attribute, _)| *attribute == name).map(|(_, value)| value)
    }
}

pub(super) fn parse(text: &str) -> Result<Node, XmlErrorAt> {
    let mut parser = Parser { tokens: Tokens::strict(text), text, lists: Lists::default() };
    let mut root = None;
    loop {
        match parser.tokens.next_token()? {
            (_, Token::Text(text)) if text.chars().all(is_blank) => {}
            (at, Token::Text(text)) => {
                return Err(XmlErrorAt::new(
                    at,
                    format!("text {} outside of all elements", quote(text.trim())),
                )
                .with_expected("<Profile>, and nothing around it")
                .hint("is this an XML file?"));
            }
            (at, Token::Start(_)) if root.is_some() => {
                return Err(XmlErrorAt::new(at, "a second element next to <Profile>")
                    .with_expected("the end of the document: a file holds one profile"));
            }
            (at, Token::Start(tag)) if tag.name().as_ref() == PROFILE.name => {
                root = Some(parser.read_element(&PROFILE, &tag, at, false)?);
            }
            (at, Token::Start(tag)) => return Err(wrong_root(at, tag.name().as_ref())),
            (at, Token::End) => {
                return Err(XmlErrorAt::new(at, "an end tag without a start tag").with_expected("<Profile>"));
            }
            (at, Token::Eof) => {
                return root.ok_or_else(|| {
                    XmlErrorAt::new(at, "the document holds no element").with_expected("<Profile>")
                });
            }
        }
    }
}

fn wrong_root(at: usize, name: &str) -> XmlErrorAt {
    let fault = XmlErrorAt::new(at, format!("the document begins with <{}>", shorten(name)))
        .with_expected("<Profile>");
    match name {
        "Results" => {
            fault.hint("this is the result of a run; to run it again, extract its <Profile> element")
        }
        _ if name.contains(':') => fault.hint("a profile has no namespace"),
        _ => fault,
    }
}

/// Number of elements so far, for limited elements.
#[derive(Debug, Default)]
pub(super) struct Lists {
    targets: usize,
    time_spans: usize,
}

impl Lists {
    /// Counts an element.
    ///
    /// # Errors
    /// Fails if the document has too many elements of this name.
    pub(super) fn count(&mut self, name: &str, at: usize) -> Result<(), XmlErrorAt> {
        self.targets += usize::from(name == "Target");
        self.time_spans += usize::from(name == "TimeSpan");
        if self.targets > TARGETS {
            return Err(XmlErrorAt::new(at, format!("more than {TARGETS} targets, the limit")));
        }
        check_time_spans(self.time_spans, at)
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    text: &'a str,
    lists: Lists,
}

impl Parser<'_> {
    /// Reads an element after its start tag. `declared`: whether an outer element declares the additional
    /// namespace.
    fn read_element(
        &mut self,
        schema: &'static Element,
        tag: &BytesStart,
        position: usize,
        declared: bool,
    ) -> Result<Node, XmlErrorAt> {
        self.lists.count(schema.name, position)?;
        let declared = own::is_declared(tag, position)? || declared;
        own::check_name(schema.name, position, declared)?;
        let attributes = read_attributes(schema, tag, position)?;
        let mut node = Node { schema, position, attributes, value: None, children: Vec::new() };
        let mut value = String::new();
        loop {
            match self.tokens.next_token()? {
                (at, Token::Start(tag)) => {
                    let child = self.child_schema(&node, tag.name().as_ref(), at)?;
                    let child = self.read_element(child, &tag, at, declared)?;
                    node.children.push(child);
                }
                (at, Token::Text(text)) => match schema.content {
                    Content::Value(_) => value.push_str(&text),
                    _ if text.chars().all(is_blank) => {}
                    _ => {
                        let what =
                            format!("text {} in <{}>", quote(text.trim_matches(is_blank)), schema.name);
                        return Err(XmlErrorAt::new(at, what).with_expected(schema.content.describe()));
                    }
                },
                (_, Token::End) => break,
                (at, Token::Eof) => {
                    let what = format!("the document ends within <{}>", schema.name);
                    return Err(XmlErrorAt::new(at, what)
                        .with_expected(format!("</{}>", schema.name))
                        .hint("was the file cut off?"));
                }
            }
        }
        if let Content::Value(kind) = schema.content {
            node.value = Some(parse_value(kind, &value, &format!("<{}>", schema.name), position)?);
        }
        self.check_complete(&node)?;
        Ok(node)
    }

    fn child_schema(&self, parent: &Node, name: &str, at: usize) -> Result<&'static Element, XmlErrorAt> {
        let content = &parent.schema.content;
        let known = content.children();
        let Some(child) = known.iter().copied().find(|child| child.name == name) else {
            let what = format!("unknown element <{}> in <{}>", shorten(name), parent.schema.name);
            let fault = XmlErrorAt::new(at, what).with_expected(content.describe());
            let meant = known.iter().find(|child| child.name.eq_ignore_ascii_case(name));
            return Err(match meant {
                Some(meant) => fault.hint(format!("did you mean <{}>? Case matters", meant.name)),
                None => fault,
            });
        };
        let earlier = match content {
            Content::Group(_) => parent.child(name),
            Content::One(_) => parent.children.first(),
            _ => parent.children.first().filter(|first| first.schema.name != name),
        };
        let Some(earlier) = earlier else { return Ok(child) };
        let line = self.text[..earlier.position].matches('\n').count() + 1;
        let (first, parent) = (earlier.schema.name, parent.schema.name);
        let what = match first == name {
            true => format!("a second <{name}> in <{parent}>, after the one in line {line}"),
            false => format!("<{name}> beside the <{first}> of line {line} in the same <{parent}>"),
        };
        Err(XmlErrorAt::new(at, what).with_expected(match content {
            Content::Group(_) => format!("each element at most once in <{parent}>"),
            _ => content.describe(),
        }))
    }

    fn check_complete(&self, node: &Node) -> Result<(), XmlErrorAt> {
        let name = node.schema.name;
        let missing = match node.schema.content {
            Content::Group(children) => {
                children.iter().find(|c| c.required && node.child(c.element.name).is_none())
            }
            Content::One(_) | Content::Many(_) if node.children.is_empty() => {
                return Err(XmlErrorAt::new(node.position, format!("<{name}> is empty"))
                    .with_expected(node.schema.content.describe()));
            }
            _ => None,
        };
        match missing {
            None => Ok(()),
            Some(Child { element, .. }) => {
                Err(XmlErrorAt::new(node.position, format!("<{}> is missing in <{name}>", element.name))
                    .with_expected(format!("<{}>: {}", element.name, element.content.describe())))
            }
        }
    }
}

fn read_attributes(
    schema: &'static Element,
    tag: &BytesStart,
    at: usize,
) -> Result<Vec<(&'static str, Value)>, XmlErrorAt> {
    let name = schema.name;
    let mut found: Vec<(&'static str, Value)> = Vec::new();
    for (number, attribute) in tag.attributes().enumerate() {
        if number == MAX_ATTRIBUTES {
            return Err(XmlErrorAt::new(at, format!("<{name}> has more than {MAX_ATTRIBUTES} attributes")));
        }
        let attribute = attribute
            .map_err(|error| XmlErrorAt::new(at, format!("not well-formed XML: <{name}>: {error}")))?;
        let key = attribute.key.as_ref();
        let text = attribute_text(&attribute, at)?;
        if is_namespace_matter(key, &text) {
            continue;
        }
        let Some(known) = schema.attributes.iter().find(|known| known.name == key) else {
            let what = format!("unknown attribute {}={} of <{name}>", shorten(key), quote(&text));
            let names: Vec<&str> = schema.attributes.iter().map(|a| a.name).collect();
            let expected = if names.is_empty() {
                "no attribute".to_owned()
            } else {
                format!("only {}", names.join(", "))
            };
            let fault = XmlErrorAt::new(at, what).with_expected(expected);
            return Err(match key {
                "xmlns" => fault.hint("a profile has no namespace"),
                _ => fault,
            });
        };
        found.push((known.name, parse_value(known.kind, &text, &format!("{key} of <{name}>"), at)?));
    }
    for known in schema.attributes.iter().filter(|known| known.required) {
        if !found.iter().any(|(name, _)| *name == known.name) {
            return Err(XmlErrorAt::new(at, format!("the attribute {} of <{name}> is missing", known.name))
                .with_expected(format!("{}=\"..\": {}", known.name, known.kind.describe())));
        }
    }
    Ok(found)
}

fn is_namespace_matter(key: &str, text: &str) -> bool {
    key.starts_with("xmlns:")
        || (key == "xmlns" && text.is_empty())
        || matches!(key, "xsi:noNamespaceSchemaLocation" | "xsi:schemaLocation")
}

fn parse_value(kind: Kind, text: &str, name: &str, at: usize) -> Result<Value, XmlErrorAt> {
    kind.parse(text).ok_or_else(|| {
        let what = match (text.trim_matches(is_blank), kind) {
            ("", _) => format!("{name}: the value is missing"),
            // Blanks count in words.
            (_, Kind::Word(_)) => format!("{name}: {} is not possible", quote(text)),
            (text, _) => format!("{name}: {} is not possible", quote(text)),
        };
        XmlErrorAt::new(at, what).with_expected(kind.describe())
    })
}
