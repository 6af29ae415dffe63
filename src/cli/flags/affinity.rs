//! The value of `-a`: a list of CPUs, or the letters of an order.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::words::when;
use crate::profile::{Efficiency, GroupCpu, Target, TimeSpan};
use crate::units;

pub(super) fn read(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    match value {
        b"" | b"g" => Ok(()),
        [b'u', rest @ ..] => read_unordered(draft, rest),
        [b'c' | b's' | b'p' | b'P' | b'e' | b'E', ..] => read_order(draft, value),
        _ => {
            draft.span.affinity.extend(parse_list(value, draft.request.profile.compat.is_2_3())?);
            Ok(())
        }
    }
}

pub(super) fn words(span: &TimeSpan, _: &Target) -> Vec<String> {
    let cpus: Vec<String> = span.affinity.iter().filter_map(|at| Some(at.cpu?.to_string())).collect();
    when(!span.affinity.is_empty() && span.affinity_traversal.is_none(), cpus.join(","))
}

fn read_unordered(draft: &mut RunRequestBuilder, rest: &[u8]) -> Result<(), ValueError> {
    if rest != b"p" {
        return Err(ValueError::new(0, "unknown order").with_expected("-aup: ignores the kinds of cores"));
    }
    set_efficiency(draft, 0, Efficiency::Unordered)
}

fn read_order(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    for (position, letter) in value.iter().enumerate() {
        match letter {
            b'c' => draft.span.affinity_traversal.get_or_insert_default().core_aware = true,
            b's' => draft.span.affinity_traversal.get_or_insert_default().span_groups = true,
            b'p' => set_efficiency(draft, position, Efficiency::PFirst)?,
            b'P' => set_efficiency(draft, position, Efficiency::FillPFirst)?,
            b'e' => set_efficiency(draft, position, Efficiency::EFirst)?,
            b'E' => set_efficiency(draft, position, Efficiency::FillEFirst)?,
            _ => {
                return Err(ValueError::new(position, "this is not a letter of the order")
                    .with_expected("letters of c, s, and one of p, P, e, E")
                    .hint("give the list of CPUs in a separate -a: -ac -a0-3"));
            }
        }
    }
    Ok(())
}

fn set_efficiency(
    draft: &mut RunRequestBuilder,
    position: usize,
    order: Efficiency,
) -> Result<(), ValueError> {
    if draft.efficiency_given {
        return Err(ValueError::new(position, "the order of the kinds of cores is given twice")
            .with_expected("one of p, P, e, E, or -aup, once"));
    }
    draft.efficiency_given = true;
    draft.span.affinity_traversal.get_or_insert_default().efficiency = order;
    Ok(())
}

const CPUS: &str = "CPU numbers, ranges and groups (g<number>) separated by commas, with a CPU after each \
                    group: -a0,2-5,g1,0";
const GROUP_ALONE: &str = "give a whole group in a separate -a: -ag1";

fn parse_list(value: &[u8], newest: bool) -> Result<Vec<GroupCpu>, ValueError> {
    // DISKSPD 2.2 takes any number of a byte; there is no such CPU, which the machine tells.
    let most = if newest { 63 } else { u8::MAX };
    let mut cpus = Vec::new();
    let mut group = 0;
    // Position of a group that no CPU has followed yet.
    let mut open_group = None;
    let mut start = 0;
    let items: Vec<&[u8]> = value.split(|b| *b == b',').collect();
    for item in &items {
        match item {
            [b'g', digits @ ..] => {
                group = parse_number(digits, start + 1, "group", u16::MAX)?;
                open_group = Some(start);
            }
            _ => {
                cpus.extend(parse_range(item, start, most)?.map(|cpu| GroupCpu { group, cpu: Some(cpu) }));
                open_group = None;
            }
        }
        start += item.len() + 1;
    }
    match open_group {
        Some(_) if items.len() == 1 => Ok(vec![GroupCpu { group, cpu: None }]),
        Some(position) => {
            Err(ValueError::new(position, "a group without a CPU").with_expected(CPUS).hint(GROUP_ALONE))
        }
        None => Ok(cpus),
    }
}

/// Parses a CPU, or a range of CPUs.
fn parse_range(item: &[u8], start: usize, most: u8) -> Result<std::ops::RangeInclusive<u8>, ValueError> {
    let Some(dash) = item.iter().position(|b| *b == b'-').filter(|dash| *dash > 0) else {
        let cpu = parse_number(item, start, "CPU", most)?;
        return Ok(cpu..=cpu);
    };
    let first = parse_number(&item[..dash], start, "CPU", 63u8)?;
    let last = parse_number(&item[dash + 1..], start + dash + 1, "CPU", 63u8)?;
    if last < first {
        return Err(ValueError::new(start, "the range ends below its start").with_expected(CPUS));
    }
    Ok(first..=last)
}

fn parse_number<T>(digits: &[u8], position: usize, kind: &str, max: T) -> Result<T, ValueError>
where
    T: TryFrom<u64> + PartialOrd + Copy + std::fmt::Display,
{
    let too_large = || {
        ValueError::new(position, format!("there is no such {kind}"))
            .with_expected(format!("a {kind} number of at most {max}"))
    };
    match units::parse_digits(digits) {
        Err(error) if error.kind != units::UnitErrorKind::TooLarge => {
            Err(ValueError::new(position, format!("the number of a {kind} is missing")).with_expected(CPUS))
        }
        Ok((_, taken)) if taken < digits.len() => {
            Err(ValueError::new(position + taken, "unexpected text in the list").with_expected(CPUS))
        }
        Ok((number, _)) => T::try_from(number).ok().filter(|number| *number <= max).ok_or_else(too_large),
        Err(_) => Err(too_large()),
    }
}
