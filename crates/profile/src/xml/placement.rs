//! Elements of a time span for the placement of threads and the submission of I/O.

use super::error::{XmlErrorAt, quote};
use super::tree::Node;
use super::values::Value;
use crate::{AffinityTraversal, Efficiency, GroupCpu, IoRing, RingBatch};

/// Parses the children of `Affinity`.
pub(super) fn cpus(nodes: &[Node]) -> Result<Vec<GroupCpu>, XmlErrorAt> {
    let mut cpus = Vec::new();
    for node in nodes {
        match node.schema.name {
            "Group" => cpus.extend(read_group(node)?),
            _ => cpus.push(read_assignment(node)?),
        }
    }
    Ok(cpus)
}

/// Parses `AffinityGroupAssignment`, or the old form with only the CPU.
fn read_assignment(node: &Node) -> Result<GroupCpu, XmlErrorAt> {
    let cpu = node.number().or_else(|| node.attribute_number("Processor")).unwrap_or(0);
    let group = group_number(node)?;
    match u8::try_from(cpu) {
        Ok(cpu) => Ok(GroupCpu { group, cpu: Some(cpu) }),
        Err(_) => Err(node_fault(node, format!("no processor group has a CPU {cpu}"))
            .with_expected(format!("a number from 0 to {}", u8::MAX))),
    }
}

fn node_fault(node: &Node, what: String) -> XmlErrorAt {
    XmlErrorAt::new(node.position, format!("<{}>: {what}", node.schema.name))
}

fn group_number(node: &Node) -> Result<u16, XmlErrorAt> {
    let group = node.attribute_number("Group").unwrap_or(0);
    u16::try_from(group).map_err(|_| {
        node_fault(node, format!("there is no processor group {group}"))
            .with_expected(format!("a number from 0 to {}", u16::MAX))
    })
}

/// Parses a group with its mask, lowest CPU first; mask 0 = the whole group.
fn read_group(node: &Node) -> Result<Vec<GroupCpu>, XmlErrorAt> {
    let group = group_number(node)?;
    let text = match node.attribute("Mask") {
        Some(Value::Text(text)) => text.as_str(),
        _ => "",
    };
    let Some(mask) = parse_mask(text) else {
        return Err(node_fault(node, format!("Mask={} is not a mask of CPUs", quote(text)))
            .with_expected("64 bits as a number: 0x and hexadecimal, 0 and octal, or decimal digits"));
    };
    let all = (mask == 0).then_some(GroupCpu { group, cpu: None });
    let cpus = (0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| GroupCpu { group, cpu: Some(bit) });
    Ok(all.into_iter().chain(cpus).collect())
}

/// Parses an integer in C syntax without a sign.
fn parse_mask(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    let plain = digits.bytes().all(|b| b.is_ascii_alphanumeric());
    u64::from_str_radix(digits, radix).ok().filter(|_| plain)
}

pub(super) fn traversal(node: &Node) -> AffinityTraversal {
    let efficiency = match node.attribute("Efficiency") {
        Some(Value::Word(name)) => Efficiency::from_xml(name),
        _ => None,
    };
    AffinityTraversal {
        core_aware: node.value == Some(Value::Word("CoreAware")),
        span_groups: node.attribute("Group") == Some(&Value::Word("Span")),
        efficiency: efficiency.unwrap_or_default(),
    }
}

pub(super) fn io_ring(node: &Node) -> Result<IoRing, XmlErrorAt> {
    let default = IoRing::default();
    let batch = match (node.child("IoRingBatchSize"), node.u32("IoRingBatchSize")) {
        (Some(size), Some(count)) => match size.attribute("Percent") {
            Some(Value::Bool(true)) if count > 100 => {
                return Err(node_fault(size, format!("{count} % are more than all I/Os"))
                    .with_expected("a number from 1 to 100"));
            }
            Some(Value::Bool(true)) => RingBatch::Percent(count),
            _ => RingBatch::Count(count),
        },
        _ => default.batch,
    };
    Ok(IoRing { batch, register_buffers: node.bool("UseRegBuffer").unwrap_or(default.register_buffers) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_unsigned_c_integers() {
        for (text, expected) in [
            ("0x52", Some(0x52)),
            ("82", Some(82)),
            ("0122", Some(82)),
            ("0", Some(0)),
            ("0xffffffffffffffff", Some(u64::MAX)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("0x", None),
            ("0x1g", None),
            ("0x+1", None),
            ("0x1ffffffffffffffff", None),
            ("08", None),
        ] {
            assert_eq!(parse_mask(text), expected, "{text}");
        }
    }
}
