//! Steady state of a device: the rule of SNIA's Solid State Storage Performance Test Specification (PTS),
//! the same for client and enterprise devices.
//!
//! Source: the definition of *Steady State* in the PTS, version 2.0.2 of October 2020. SNIA has a summary
//! at <https://www.snia.org/forums/sssi/pts/iops>. The measurement window is five rounds. In the window,
//! the maximum and minimum of the tracked figure are at most 20 % of its average apart. The best-fit
//! straight line changes by at most 10 %.

use diskspd_figures::stats::{MAX_EXCURSION, MAX_SLOPE};
use diskspd_figures::units::table::{self, Cell, TableColumn, signed};
use diskspd_results::{Preconditioning, RoundFigures, RoundWindow};

pub const WINDOW: usize = 5;
pub const MAX_ROUNDS: u32 = 25;

/// Tolerance for rounding in shares, so that a value at the limit is accepted.
const ROUNDING: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standard {
    /// The PTS for clients: three quarters of the capacity are used, the device's write cache is on.
    PtsClient,
    /// The PTS for enterprises: all of the capacity is used, no write is done before it is durable.
    PtsEnterprise,
    /// Workload of the rounds set by the user.
    Custom,
}

impl Standard {
    const ALL: [Standard; 3] = [Standard::PtsClient, Standard::PtsEnterprise, Standard::Custom];

    /// Parses the name.
    ///
    /// # Errors
    /// Fails with the expected values.
    pub fn parse(name: &str) -> Result<Standard, &'static str> {
        let found = Standard::ALL.into_iter().find(|standard| standard.name() == name);
        found.ok_or("pts-client, pts-enterprise or custom")
    }

    pub fn name(self) -> &'static str {
        match self {
            Standard::PtsClient => "pts-client",
            Standard::PtsEnterprise => "pts-enterprise",
            Standard::Custom => "custom",
        }
    }

    /// Returns the options of a round, which precede the user's options. The PTS leaves threads and queue
    /// depth to the user; these values suffice for drives of that kind.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Standard::PtsClient => &["-b4K", "-r", "-w100", "-Zr", "-t2", "-o16", "-Su"],
            Standard::PtsEnterprise => &["-b4K", "-r", "-w100", "-Zr", "-t4", "-o32", "-Sh"],
            Standard::Custom => &[],
        }
    }

    pub fn fill_caching(self) -> &'static str {
        match self {
            Standard::PtsEnterprise => "-Sh",
            Standard::PtsClient | Standard::Custom => "-Su",
        }
    }

    /// Returns the used share of the capacity in percent; `None` = set by the user's options.
    pub fn active_range(self) -> Option<u64> {
        match self {
            Standard::PtsClient => Some(75),
            Standard::PtsEnterprise => Some(100),
            Standard::Custom => None,
        }
    }
}

/// Returns the result of the last [`WINDOW`] rates; `None` = fewer rates, or no I/O.
pub fn window(iops: &[f64]) -> Option<RoundWindow> {
    let last = iops.get(iops.len().checked_sub(WINDOW)?..)?;
    let count = WINDOW as f64;
    let mean = last.iter().sum::<f64>() / count;
    if !(mean.is_finite() && mean > 0.0) {
        return None;
    }
    let highest = last.iter().copied().fold(f64::MIN, f64::max);
    let lowest = last.iter().copied().fold(f64::MAX, f64::min);
    // Least squares: places are -2 .. 2, so their mean is 0.
    let places = || (0..WINDOW).map(|place| place as f64 - (count - 1.0) / 2.0);
    let by_place: f64 = places().zip(last).map(|(place, rate)| place * (rate - mean)).sum();
    let squares: f64 = places().map(|place| place * place).sum();
    Some(RoundWindow {
        average_iops: mean,
        excursion: (highest - lowest) / mean,
        slope: by_place / squares * (count - 1.0) / mean,
    })
}

pub fn is_steady(window: &RoundWindow) -> bool {
    window.excursion <= MAX_EXCURSION + ROUNDING && window.slope.abs() <= MAX_SLOPE + ROUNDING
}

/// Next step after rounds with these rates; `most` = maximum number of rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextRound {
    Another,
    Steady,
    Enough,
}

pub fn next(iops: &[f64], most: u32) -> NextRound {
    match window(iops) {
        Some(window) if is_steady(&window) => NextRound::Steady,
        _ if iops.len() >= most as usize => NextRound::Enough,
        _ => NextRound::Another,
    }
}

pub struct RoundRow<'a> {
    number: usize,
    round: &'a RoundFigures,
    window: Option<RoundWindow>,
}

pub fn lines(rounds: &[RoundFigures]) -> Vec<RoundRow<'_>> {
    let rates: Vec<f64> = rounds.iter().map(|round| round.iops).collect();
    let line = |(place, round)| RoundRow { number: place + 1, round, window: window(&rates[..=place]) };
    rounds.iter().enumerate().map(line).collect()
}

impl<'a> RoundRow<'a> {
    pub const COLUMNS: &'a [TableColumn<RoundRow<'a>>] = &[
        TableColumn::<RoundRow>::number("round", |line| Cell::Whole(line.number as u64))
            .brief_and_paged()
            .with_least_width(5),
        TableColumn::<RoundRow>::number("IOPS", |line| Cell::Figure(line.round.iops, 2))
            .brief()
            .on_page("I/Os per s")
            .with_least_width(12),
        TableColumn::<RoundRow>::number("MiB/s", |line| Cell::Figure(line.round.mib_per_s, 2))
            .brief_and_paged()
            .spare(3)
            .with_least_width(10),
        TableColumn::<RoundRow>::number("avg ms", |line| Cell::time(line.round.mean_ms))
            .brief()
            .spare(2)
            .on_page("mean, ms")
            .with_least_width(9),
        TableColumn::<RoundRow>::number("p99 ms", |line| Cell::time(line.round.p99_ms))
            .brief()
            .on_page("99 %, ms")
            .with_least_width(9),
        TableColumn::<RoundRow>::number("average of 5", |line| {
            Cell::figure(line.window.map(|window| window.average_iops), 2)
        })
        .brief_and_paged()
        .spare(1)
        .with_least_width(14),
        TableColumn::<RoundRow>::number("excursion", |line| {
            Cell::share(line.window.map(|window| unsigned_zero(100.0 * window.excursion)))
        })
        .brief_and_paged()
        .with_least_width(9),
        TableColumn::<RoundRow>::number("slope", |line| {
            Cell::change(line.window.map(|window| unsigned_zero(100.0 * window.slope)))
        })
        .brief_and_paged()
        .with_least_width(8),
        TableColumn::<RoundRow>::words("", |line| {
            let steady = line.window.as_ref().is_some_and(is_steady);
            Cell::Text(if steady { "steady" } else { "" }.to_owned())
        })
        .brief()
        .on_page("steady"),
    ];
}

/// Returns the table of all rounds in at most `room` columns, and the verdict.
pub fn text(done: &Preconditioning, room: usize) -> String {
    table::text_within(RoundRow::COLUMNS, &lines(&done.rounds), room) + "\n" + &verdict(done) + "\n"
}

fn unsigned_zero(percent: f64) -> f64 {
    (percent * 10.0).round() / 10.0 + 0.0
}

pub fn verdict(done: &Preconditioning) -> String {
    let count = done.rounds.len();
    let Some(window) = &done.window else {
        return format!("not steady: {count} rounds are too few, the last {WINDOW} are judged together");
    };
    let by = format!(
        "the last {WINDOW} rounds average {:.2} IOPS, excursion {} (at most {:.0} %), slope {} (at most \
         {:.0} %)",
        window.average_iops,
        Cell::Share(unsigned_zero(100.0 * window.excursion), 1).readable(),
        MAX_EXCURSION * 100.0,
        signed(unsigned_zero(100.0 * window.slope)),
        MAX_SLOPE * 100.0
    );
    match done.steady {
        true => format!("steady after {count} rounds: {by}{}", still_moving(&done.rounds)),
        false => format!("not steady after {count} rounds: {by}"),
    }
}

/// Returns a note that the rounds rose or fell monotonically, which happens randomly in 1 of 60 windows.
/// They are within the limits of the rule, but may continue to change.
fn still_moving(rounds: &[RoundFigures]) -> String {
    let window = &rounds[rounds.len().saturating_sub(WINDOW)..];
    let all = |holds: fn(f64, f64) -> bool| window.windows(2).all(|pair| holds(pair[0].iops, pair[1].iops));
    let (way, goes) = match (all(|one, next| next < one), all(|one, next| next > one)) {
        _ if window.len() < WINDOW => return String::new(),
        (true, _) => ("slower", "falling"),
        (_, true) => ("faster", "rising"),
        _ => return String::new(),
    };
    format!("; but each of them was {way} than the one before: it may keep {goes}, more rounds would show")
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::units::Millis;

    /// Returns the number of rounds, and the reason for the end.
    fn find_end(rates: impl Fn(u32) -> f64) -> (usize, NextRound) {
        let mut iops = Vec::new();
        loop {
            match next(&iops, MAX_ROUNDS) {
                NextRound::Another => iops.push(rates(iops.len() as u32 + 1)),
                over => return (iops.len(), over),
            }
        }
    }

    #[test]
    fn known_series_end_at_expected_interval() {
        let noise = |round: u32, share: f64| 1.0 + share * (f64::from(round * 7919 % 101) / 50.0 - 1.0);
        assert_eq!(find_end(|_| 5000.0), (5, NextRound::Steady));
        // Fast at first, at once slow: the window must have left the fast ones behind.
        assert_eq!(find_end(|round| if round <= 3 { 90_000.0 } else { 12_000.0 }), (8, NextRound::Steady));
        // Falls by halves: from the fifth round on 1000 and what is left of the fall.
        let settling = |round| 1000.0 + 8000.0 / f64::from(1 << round);
        assert_eq!(find_end(settling), (11, NextRound::Steady));
        // 2 % a round: 8 % over the window, within both limits. 3 %: the slope is too much, for ever.
        assert_eq!(find_end(|round| 1000.0 * 0.98f64.powi(round as i32)), (5, NextRound::Steady));
        assert_eq!(find_end(|round| 1000.0 * 0.97f64.powi(round as i32)), (25, NextRound::Enough));
        assert_eq!(find_end(|round| 1000.0 * 1.03f64.powi(round as i32)), (25, NextRound::Enough));
        // Noise of a twentieth to each side passes, up and down by a fifth doesn't.
        assert_eq!(find_end(|round| 1000.0 * noise(round, 0.05)).1, NextRound::Steady);
        assert_eq!(find_end(|round| if round % 2 == 0 { 1200.0 } else { 900.0 }), (25, NextRound::Enough));
        assert_eq!(find_end(|_| 0.0), (25, NextRound::Enough));
        // What the simulated drive that grows slower for a minute does in rounds of 10 s.
        let drift = [11165.0, 9645.6, 8538.4, 7614.3, 6903.1, 6296.1, 6045.9, 6041.9, 6007.8, 6033.8, 6033.8];
        assert_eq!(find_end(|round| drift[round as usize - 1]), (10, NextRound::Steady));
    }

    #[test]
    fn values_at_the_limits_are_steady() {
        // 90 to 110 of 100 in the middle of the window: the line is level.
        let wide = window(&[7.0, 100.0, 110.0, 100.0, 90.0, 100.0]).unwrap();
        assert!((wide.excursion - 0.2).abs() < 1e-12 && is_steady(&wide), "{wide:?}");
        let wider = window(&[100.0, 110.1, 100.0, 89.9, 100.0]).unwrap();
        assert!(!is_steady(&wider), "{wider:?}");
        let steep = window(&[95.0, 97.5, 100.0, 102.5, 105.0]).unwrap();
        assert!((steep.slope - 0.1).abs() < 1e-12 && is_steady(&steep), "{steep:?}");
        let steeper = window(&[105.1, 102.5, 100.0, 97.5, 94.9]).unwrap();
        assert!(steeper.slope < -0.1 && !is_steady(&steeper), "{steeper:?}");
        assert_eq!(window(&[1.0; 4]), None);
        assert_eq!(window(&[0.0; 5]), None);
    }

    #[test]
    fn monotonic_round_window_is_reported() {
        let said = |rates: &[f64]| {
            let round =
                |iops: &f64| RoundFigures { iops: *iops, mib_per_s: 1.0, mean_ms: None, p99_ms: None };
            let rounds: Vec<RoundFigures> = rates.iter().map(round).collect();
            let window = window(rates);
            verdict(&Preconditioning {
                standard: "custom".into(),
                purged_bytes: None,
                fill: None,
                command: String::new(),
                steady: window.as_ref().is_some_and(is_steady),
                rounds,
                window,
            })
        };
        assert!(
            said(&[100.0, 98.0, 96.0, 94.0, 92.5]).contains("slower than the one before: it may keep fall")
        );
        assert!(said(&[50.0, 100.0, 101.0, 102.0, 103.0, 104.0]).contains("may keep rising"));
        assert!(!said(&[100.0, 98.0, 96.0, 97.0, 92.5]).contains("before"));
        assert!(!said(&[100.0; 5]).contains("before"));
    }

    #[test]
    fn round_table_agrees_with_its_windows() {
        let round = |iops| RoundFigures {
            iops,
            mib_per_s: iops / 256.0,
            mean_ms: Some(Millis::new(0.5)),
            p99_ms: None,
        };
        let rounds: Vec<RoundFigures> = [900.0, 110.0, 100.0, 100.0, 100.0, 90.0].map(round).into();
        let rates: Vec<f64> = rounds.iter().map(|round| round.iops).collect();
        let window = window(&rates);
        let done = Preconditioning {
            standard: "custom".into(),
            purged_bytes: None,
            fill: None,
            command: String::new(),
            rounds,
            window,
            steady: false,
        };
        let expected = "\
round          IOPS       MiB/s     avg ms     p99 ms    average of 5  excursion     slope
    1        900.00        3.52      0.500          -               -          -         -
    2        110.00        0.43      0.500          -               -          -         -
    3        100.00        0.39      0.500          -               -          -         -
    4        100.00        0.39      0.500          -               -          -         -
    5        100.00        0.39      0.500          -          262.00    305.3 %  -245.8 %
    6         90.00        0.35      0.500          -          100.00     20.0 %   -16.0 %

";
        let narrow = text(&done, 50);
        let table_of_narrow: Vec<&str> = narrow.lines().take_while(|line| !line.starts_with('(')).collect();
        assert!(table_of_narrow.iter().all(|line| line.len() <= 50), "{narrow}");
        assert!(narrow.contains("excursion") && narrow.contains("(not enough columns for"), "{narrow}");
        let table = text(&done, usize::MAX);
        assert_eq!(table.lines().take(8).map(|line| format!("{line}\n")).collect::<String>(), expected);
        let verdict = "excursion 20.0 % (at most 20 %), slope -16.0 % (at most 10 %)";
        assert!(table.ends_with(&format!("{verdict}\n")), "{table}");
    }
}
