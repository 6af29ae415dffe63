//! The profile within the results of a run, from any version of DISKSPD. Unknown elements are ignored, and
//! missing ones are unknown.

use super::elements::PROFILE;
use super::error::XmlErrorAt;
use super::interpret;
use super::schema::{Content, Element};
use super::tokens::{Token, Tokens, attribute_text, cut_off};
use super::tree::{Lists, Node};
use crate::{Access, Parameters, Rate};
use quick_xml::events::BytesStart;

/// Reads the parameters of every time span of a profile, after its start tag.
///
/// # Errors
/// Fails for malformed or truncated XML.
pub fn parameters(tokens: &mut Tokens, tag: &BytesStart, at: usize) -> Result<Vec<Parameters>, XmlErrorAt> {
    let profile = read_element(tokens, &mut Lists::default(), &PROFILE, tag, at)?;
    Ok(profile.children_of("TimeSpans").iter().map(of_span).collect())
}

/// Reads the parts of an element that its schema has. The schema limits the depth. The first of several
/// elements counts, except in lists.
fn read_element(
    tokens: &mut Tokens,
    lists: &mut Lists,
    schema: &'static Element,
    tag: &BytesStart,
    position: usize,
) -> Result<Node, XmlErrorAt> {
    lists.count(schema.name, position)?;
    let attributes = tag.attributes().flatten().filter_map(|attribute| {
        let known = schema.attributes.iter().find(|known| known.name == attribute.key.as_ref())?;
        Some((known.name, known.kind.parse(&attribute_text(&attribute, position).ok()?)?))
    });
    let mut node =
        Node { schema, position, attributes: attributes.collect(), value: None, children: Vec::new() };
    let mut text = String::new();
    loop {
        match tokens.next_token()? {
            (at, Token::Start(tag)) => {
                let known = schema.content.children();
                let child = known.into_iter().find(|child| child.name == tag.name().as_ref());
                let is_list = matches!(schema.content, Content::Many(_));
                match child.filter(|child| is_list || node.child(child.name).is_none()) {
                    Some(child) => node.children.push(read_element(tokens, lists, child, &tag, at)?),
                    None => tokens.skip()?,
                }
            }
            (_, Token::Text(piece)) => text.push_str(&piece),
            (_, Token::End) => break,
            (at, Token::Eof) => return Err(cut_off(at, &format!("<{}>", schema.name))),
        }
    }
    if let Content::Value(kind) = schema.content {
        node.value = kind.parse(&text);
    }
    Ok(node)
}

/// Returns the parameters of a span without defaults, because DISKSPD writes all of them in its results.
fn of_span(node: &Node) -> Parameters {
    // What contradicts itself is not known either.
    let Ok(span) = interpret::time_span(node) else { return Parameters::default() };
    let targets = node.children_of("Targets");
    let pool_is_known = states_child(node, "ThreadCount");
    let mut parameters = Parameters::with(&span, |target, place| {
        let all = Access::from_target(&span, target);
        let Some(node) = targets.get(place) else { return Access::default() };
        let stated = |name: &str| states_child(node, name);
        let pool = span.is_floating_pool();
        let random = stated("Random") || stated("RandomRatio");
        Access {
            threads: all
                .threads
                .filter(|_| span.thread_count > 0 || pool_is_known && stated("ThreadsPerFile")),
            outstanding: all.outstanding.filter(|_| pool || stated("RequestCount")),
            block_size: all.block_size.filter(|_| stated("BlockSize")),
            write_percent: all.write_percent.filter(|_| stated("WriteRatio")),
            shares: all.shares,
            random_percent: all.random_percent.filter(|_| random || stated("StrideSize")),
            stride: all.stride.filter(|_| stated("Random") || stated("StrideSize")),
            rate: all.rate.filter(|rate| *rate != Rate::Unlimited || stated("Throughput")),
            caching: all.caching,
        }
    });
    parameters.threads = parameters.threads.filter(|_| pool_is_known);
    parameters.in_flight = parameters.in_flight.filter(|_| pool_is_known);
    parameters.floating_pool =
        parameters.floating_pool.filter(|_| pool_is_known && states_child(node, "RequestCount"));
    parameters.duration_s = parameters.duration_s.filter(|_| states_child(node, "Duration"));
    parameters.warmup_s = parameters.warmup_s.filter(|_| states_child(node, "Warmup"));
    parameters.rand_seed = parameters.rand_seed.filter(|_| states_child(node, "RandSeed"));
    parameters
}

fn states_child(node: &Node, name: &str) -> bool {
    node.child(name).is_some_and(|child| child.value.is_some())
}
