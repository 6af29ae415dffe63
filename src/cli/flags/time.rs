//! `-d -W -C -z`: phases of the time span, and the seed.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, DISKSPD, Flag, Name::Letter, Print, Read, Scope};
use crate::cli::quantity::Quantity;
use crate::cli::words::when;
use crate::experiments::sweep::ValueForm;
use crate::{clock, units};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'd'),
        forms: &[("-d<seconds>", "duration of the measurement")],
        default: "10",
        scope: Scope::TimeSpan,
        notes: "-d0 measures nothing.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "end_to_end", "reports"],
        with_profile: true,
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| vec![span.duration.to_string()]),
        read: seconds_reader(|draft, seconds| draft.overrides.duration = Some(seconds.unsigned_abs())),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'W'),
        forms: &[("-W<seconds>", "warm-up before the measurement")],
        default: "5",
        scope: Scope::TimeSpan,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "end_to_end", "events"],
        with_profile: true,
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| vec![span.warmup.to_string()]),
        read: seconds_reader(|draft, seconds| draft.overrides.warmup = Some(seconds.unsigned_abs())),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'C'),
        forms: &[("-C<seconds>", "cool-down: I/O continues after the measurement")],
        default: "0",
        scope: Scope::TimeSpan,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "end_to_end", "events"],
        with_profile: true,
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| when(span.cooldown > 0, span.cooldown)),
        read: seconds_reader(|draft, seconds| draft.overrides.cooldown = Some(seconds.unsigned_abs())),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'z'),
        forms: &[("-z[<seed>]", "seed of the random numbers; without value, the machine's uptime in ms")],
        default: "0",
        scope: Scope::TimeSpan,
        notes: "Thread i draws from seed + i. The same seed gives the same offsets as on Windows.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "profiles"],
        with_profile: true,
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| when(span.rand_seed > 0, span.rand_seed)),
        read: Read::Text(read_seed),
        ..DISKSPD
    },
];

/// Lenient number of seconds; a value without digits is 0.
const fn seconds_reader(set: fn(&mut RunRequestBuilder, i32)) -> Read {
    Read::Integer {
        required: false,
        min: 0,
        max: i32::MAX,
        quantity: Quantity::Seconds,
        expected: "a time in whole seconds, at least 0",
        set,
    }
}

fn read_seed(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.overrides.rand_seed = Some(match value {
        // The low 32 bits, as DISKSPD takes them.
        [] => clock::seed_millis() as u32,
        _ => units::parse_seed(value).map_err(|error| {
            ValueError::new(error.position, error.kind.to_string()).with_expected("a 32-bit number")
        })?,
    });
    Ok(())
}
