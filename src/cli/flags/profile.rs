//! `-X --fio -y -?`: profiles in files, named events, usage.

use crate::cli::ProfileForm;
use crate::cli::UsageExtent;
use crate::cli::answer::InfoRequest;
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{
    CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Letter, Name::Long, Read, Scope,
};
use crate::profile::RawText;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'X'),
        forms: &[("-X<file>", "run an XML profile; targets replace its templates (*1, *2, ...)")],
        default: "the options define the run",
        scope: Scope::Profile,
        notes: "With it only -bs, -C, -d, -R, -v, -W, -z, -: and long options that do not shape the I/O; \
                times and seed apply to every time span. The schema is docs/reference/profile.xsd; files of \
                more than 16 MiB are not read.",
        compatibility: Differs(
            "1 is true, numbers have their full range, one error anywhere rejects the profile; IOPriority \
             above 3 and AffinityAssignment above 255 are errors; no DTD, no entities",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "profiles", "reports"],
        read: Read::Text(read_profile),
        ..DISKSPD
    },
    Flag {
        name: Long("fio"),
        forms: &[("--fio <file>", "run the jobs of a job file of fio")],
        default: "the options define the run",
        scope: Scope::Profile,
        notes: "Differences from fio are printed as notes; other jobs are refused, with the section \
                and the line. With it only -bs, -C, -d, -R, -v, -W, -z, -: and long options that do not \
                shape the I/O; times and seed apply to every time span. See docs/reference/fio-jobs.md.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["converted_jobs"],
        read: Read::Text(fio_jobs),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'y'),
        forms: &[
            ("-ys<event>", "set this event when the measurement starts"),
            ("-yf<event>", "set this event when the measurement has finished"),
            ("-yr<event>", "wait for this event before the run starts"),
            ("-yp<event>", "stop the run when this event is set"),
            ("-ye<event>", "set this existing event and end, without a run (exit code 1)"),
        ],
        default: "no events",
        scope: Scope::Invocation,
        notes: "All users of this machine share its events. An event stays set while a process has it open: \
                see docs/reference/synchronization.md. Scripts wait for events with diskspd event wait.",
        compatibility: Differs(
            "-ys and -yf set their events; DISKSPD 2.2 only creates them; Ctrl-C ends the waiting of -yr",
        ),
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "events"],
        values: &["s", "f", "r", "p", "e"],
        read: Read::Text(read_event),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'?'),
        forms: &[("-?", "print the usage: every option with all its forms, as --help all does")],
        default: "off",
        scope: Scope::Profile,
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines"],
        read: Read::Switch(|draft| draft.answer = Some(InfoRequest::Usage(UsageExtent::All))),
        ..DISKSPD
    },
];

fn read_profile(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return Err(ValueError::new(0, "the file name is missing")
            .with_expected("the name of an XML profile, attached"));
    }
    if draft.profile_path.is_some() {
        return Err(ValueError::new(0, "a second XML profile").hint("start one run per profile"));
    }
    draft.profile_path = Some((ProfileForm::Xml, RawText::from(value.to_vec())));
    Ok(())
}

fn fio_jobs(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return Err(
            ValueError::new(0, "the file name is missing").with_expected("the name of a job file of fio")
        );
    }
    if draft.profile_path.is_some() {
        let problem = ValueError::new(0, "a second file of jobs or profile");
        return Err(problem.hint("start a run for each"));
    }
    draft.profile_path = Some((ProfileForm::FioJobs, RawText::from(value.to_vec())));
    Ok(())
}

fn read_event(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let (kind, name) = value.split_first().map_or((None, value), |(kind, name)| (Some(*kind), name));
    let event = match kind {
        Some(b's') => &mut draft.request.events.start,
        Some(b'f') => &mut draft.request.events.finish,
        Some(b'r') => &mut draft.request.events.wait,
        Some(b'p') => &mut draft.request.events.stop,
        Some(b'e') => {
            draft.set_events.push(RawText::from(name.to_vec()));
            return Ok(());
        }
        _ => {
            let what = if kind.is_none() { "the kind of event is missing" } else { "unknown kind of event" };
            return Err(ValueError::new(0, what).with_expected("one of s, f, r, p, e, and the event's name"));
        }
    };
    *event = Some(RawText::from(name.to_vec()));
    Ok(())
}
