//! Text about the trace, the profile, and its quality.

use super::figures::{IoFigures, SizeCount};
use super::fit::FittedProfile;
use diskspd_figures::units::{amount, seconds_of_ns};
use std::fmt::Write;

#[derive(Debug, Clone)]
pub struct TraceSource {
    pub name: String,
    /// Whether a device was observed live, so that events may be lost.
    pub is_live: bool,
}

const MAX_UNREQUESTED_SHARE: f64 = 0.02;
const SHOWN_SIZES: usize = 8;

pub fn text(source: &TraceSource, figures: &IoFigures, fitted: &FittedProfile) -> String {
    let mut text = String::new();
    let _ = write_source(&mut text, source, figures);
    let _ = write_profile(&mut text, fitted);
    text
}

fn format_percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn write_source(text: &mut String, source: &TraceSource, figures: &IoFigures) -> std::fmt::Result {
    let all = &figures.all;
    let seconds = seconds_of_ns(figures.duration_ns);
    writeln!(text, "{}: {} I/Os in {seconds:.3} s, {}", source.name, all.ios, amount(all.bytes))?;
    let share = |size: &SizeCount| {
        format!("{} {}", amount(size.bytes.into()), format_percent(size.ios as f64 / all.ios as f64))
    };
    let mut sizes: Vec<String> = all.sizes.iter().take(SHOWN_SIZES).map(share).collect();
    if let Some(more) = all.sizes.len().checked_sub(SHOWN_SIZES).filter(|more| *more > 0) {
        sizes.push(format!("{more} more"));
    }
    writeln!(text, "  sizes        {}", sizes.join(", "))?;
    writeln!(text, "  writes       {}", format_percent(figures.write_share()))?;
    let streams = match figures.streams {
        0 | 1 => String::new(),
        several => format!(", up to {several} streams at a time"),
    };
    writeln!(text, "  sequential   {}{streams}", format_percent(all.sequential_share()))?;
    writeln!(text, "  area         bytes {} to {}", figures.begin, figures.end)?;
    match figures.usual_depth {
        0 => writeln!(text, "  in flight    unknown: no completion was recorded")?,
        usual => writeln!(
            text,
            "  in flight    {usual} or fewer for 95 % of I/Os, mean {:.2}, maximum {}",
            figures.mean_depth, figures.most_depth
        )?,
    }
    writeln!(text, "  rate         {:.1} I/Os per second", figures.ios_per_s())?;
    if source.is_live || figures.lost > 0 {
        let meaning = if figures.lost > 0 { ": events came faster than they could be recorded" } else { "" };
        writeln!(text, "  lost         {} events{meaning}", figures.lost)?;
    }
    // A few were in flight when the trace began.
    if figures.unasked as f64 > figures.all.ios as f64 * MAX_UNREQUESTED_SHARE {
        writeln!(
            text,
            "  not seen     {} more I/Os completed here but were submitted to another device (partition, \
             stacked); --requests driver traces them",
            figures.unasked
        )?;
    }
    if figures.discards.ios > 0 {
        let share = format_percent(figures.discard_share());
        let (ios, bytes) = (figures.discards.ios, amount(figures.discards.bytes));
        writeln!(text, "  discards     {ios} of {bytes} altogether: {share} of all I/Os")?;
    }
    if figures.skipped > 0 {
        writeln!(text, "  left out     {} flushes and the like", figures.skipped)?;
    }
    if figures.truncated {
        writeln!(text, "  cut off      only the first I/Os are analysed, to limit memory")?;
    }
    Ok(())
}

fn write_profile(text: &mut String, fitted: &FittedProfile) -> std::fmt::Result {
    let fit = &fitted.fit;
    writeln!(text, "profile: {}", fit.options)?;
    writeln!(
        text,
        "  sizes        {} of the I/Os have a size that the profile has",
        format_percent(fit.sizes_covered)
    )?;
    let (seen, said) = fit.mean_size;
    let error = (said / seen.max(1.0) - 1.0) * 100.0;
    writeln!(text, "  mean size    {seen:.0} bytes seen, {said:.0} in the profile: {error:+.2} %")?;
    for (name, (seen, said)) in [("writes", fit.writes), ("sequential", fit.sequential)] {
        writeln!(
            text,
            "  {name:<12} {} seen, {} in the profile: {:+.2} points",
            format_percent(seen),
            format_percent(said),
            (said - seen) * 100.0
        )?;
    }
    if fit.discards != (0.0, 0.0) {
        let (seen, said) = fit.discards;
        writeln!(
            text,
            "  discards     {} seen, {} in the profile, with the sizes and places of its other I/Os",
            format_percent(seen),
            format_percent(said)
        )?;
    }
    for (name, distance) in &fit.distances {
        let of = if *name == "all" { String::new() } else { format!(" of {name}") };
        writeln!(
            text,
            "  offsets      distance of the distributions{of} (Kolmogorov-Smirnov): {distance:.4}"
        )?;
    }
    if fit.distances.is_empty() {
        writeln!(text, "  offsets      sequential, so no distribution to compare")?;
    }
    Ok(())
}
