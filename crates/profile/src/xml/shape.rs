//! Additional elements of targets and time spans.

use super::error::{XmlErrorAt, quote};
use super::tree::Node;
use super::values::{Value, is_blank};
use crate::{AddressSpread, ContentShape, OperationShares, PlacementList, SizeShare, Volume};
use diskspd_base::operation::Operation;
use std::ops::RangeInclusive;

/// Returns the text of an element without surrounding spaces.
fn text_of(node: &Node) -> &str {
    match &node.value {
        Some(Value::Text(text)) => text.trim_matches(is_blank),
        _ => "",
    }
}

/// Returns the shares of other operations; empty without the element.
pub(super) fn shares(within: &Node) -> OperationShares {
    let found = |(op, _, share): (Operation, _, &diskspd_base::operation::ShareRow)| {
        Some((op, within.u32(&format!("linux:{}", share.element))?))
    };
    let found = Operation::shared().filter_map(found);
    found.fold(OperationShares::default(), |shares, (op, percent)| shares.with(op, percent))
}

pub(super) fn sizes(within: &Node) -> Result<Vec<SizeShare>, XmlErrorAt> {
    let Some(node) = within.child("linux:BlockSizes") else { return Ok(Vec::new()) };
    SizeShare::parse_list(text_of(node).as_bytes()).map_err(|(_, wrong)| {
        let what = format!("<linux:BlockSizes>: {}: {wrong}", quote(text_of(node)));
        XmlErrorAt::new(node.position, what).with_expected(SizeShare::FORM)
    })
}

/// Reads the numbers as in the options; empty without such an element. `range`: valid range of the
/// numbers.
pub(super) fn placement(
    within: &Node,
    element: &str,
    range: RangeInclusive<u16>,
) -> Result<PlacementList, XmlErrorAt> {
    let Some(node) = within.child(element) else { return Ok(PlacementList::default()) };
    PlacementList::parse(text_of(node).as_bytes(), range).map_err(|(_, wrong)| {
        let what = format!("<{element}>: {}: {wrong}", quote(text_of(node)));
        XmlErrorAt::new(node.position, what).with_expected(PlacementList::FORM)
    })
}

pub(super) fn spread(node: &Node) -> Result<AddressSpread, XmlErrorAt> {
    let text = text_of(node);
    AddressSpread::parse(text).map_err(|wrong| {
        let what = format!("<linux:Distribution>: {}: {}", quote(text), wrong.what);
        XmlErrorAt::new(node.position, what).with_expected(AddressSpread::SPREAD_FORMS)
    })
}

pub(super) fn volume(node: &Node) -> Result<Volume, XmlErrorAt> {
    let text = text_of(node);
    Volume::parse(text).ok_or_else(|| {
        let what = format!("<{}>: {} is no amount", node.schema.name, quote(text));
        XmlErrorAt::new(node.position, what)
            .with_expected("bytes, or a multiple of the area such as 2x; at least 1")
    })
}

pub(super) fn content(node: &Node) -> ContentShape {
    let share = |name| node.attribute_number(name).and_then(|share| u32::try_from(share).ok()).unwrap_or(0);
    ContentShape { compress: share("Compress"), dedupe: share("Dedupe") }
}
