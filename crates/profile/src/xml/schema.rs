//! Types for schemas: elements and values. The profile's schema is in `elements.rs`.

use super::own;

#[derive(Debug)]
pub(super) struct Element {
    pub name: &'static str,
    pub attributes: &'static [Attribute],
    pub content: Content,
}

#[derive(Debug)]
pub(super) struct Attribute {
    pub name: &'static str,
    pub required: bool,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    /// Children in any order, each at most once.
    Group(&'static [Child]),
    /// Exactly one of these children.
    One(&'static [Element]),
    /// At least one child, all of one of these kinds, in a significant order.
    Many(&'static [Element]),
    Value(Kind),
    Empty,
}

#[derive(Debug)]
pub(super) struct Child {
    pub required: bool,
    pub element: Element,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Decimal digits, with minimum and maximum.
    Number(u64, u64),
    /// `true`, `false`, `1`, `0`.
    Bool,
    Text,
    Word(&'static [&'static str]),
}

pub(super) const U32: Kind = Kind::Number(0, u32::MAX as u64);
pub(super) const U64: Kind = Kind::Number(0, u64::MAX);
pub(super) const PERCENT: Kind = Kind::Number(0, 100);

/// Optional element.
pub(super) const fn may(name: &'static str, content: Content) -> Child {
    Child { required: false, element: element(name, content) }
}

pub(super) const fn must(name: &'static str, content: Content) -> Child {
    Child { required: true, element: element(name, content) }
}

/// Optional value.
pub(super) const fn value(name: &'static str, kind: Kind) -> Child {
    may(name, Content::Value(kind))
}

pub(super) const fn element(name: &'static str, content: Content) -> Element {
    Element { name, attributes: &[], content }
}

impl Content {
    pub(super) fn children(&self) -> Vec<&'static Element> {
        match *self {
            Content::Group(children) => children.iter().map(|child| &child.element).collect(),
            Content::One(elements) | Content::Many(elements) => elements.iter().collect(),
            Content::Value(_) | Content::Empty => Vec::new(),
        }
    }

    pub(super) fn describe(&self) -> String {
        let names = |elements: &[Element], word: &str| {
            elements.iter().map(|e| format!("<{}>", e.name)).collect::<Vec<_>>().join(word)
        };
        match self {
            Content::Group([only]) => format!("<{}>", only.element.name),
            Content::Group(children) => {
                // Whoever mistypes a name means one of DISKSPD's.
                let ours = |name: &str| name.starts_with(own::PREFIX);
                let names: Vec<&str> =
                    children.iter().map(|child| child.element.name).filter(|name| !ours(name)).collect();
                format!("any of {}", names.join(", "))
            }
            Content::One(elements) => format!("exactly one of {}", names(elements, " and ")),
            Content::Many(elements) => format!("one or more {}", names(elements, ", or one or more ")),
            Content::Value(kind) => kind.describe(),
            Content::Empty => "nothing".to_owned(),
        }
    }
}
