//! Rules about how a profile is run.

use crate::finding::{Finding, Severity};
use crate::profile::Method;

/// Judges a method by itself; with an error it must not be used.
pub fn method(method: &Method) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut refuse = |rule, message: &str| findings.push(Finding::of_machine(rule, Severity::Error, message));
    if method.virtual_time() {
        if method.until_steady_s.is_some() {
            refuse(
                "M1",
                "--until-steady: a simulated run's phases are fixed before it begins (its threads run one after \
                 the other); give the warm-up as -W<seconds>, or choose another engine",
            );
        }
        if method.cpu_latency_us.is_some() {
            refuse(
                "M2",
                "--cpu-latency: in simulated time no processor has to be woken up; leave it out, or choose \
                 another engine",
            );
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;

    #[test]
    fn simulated_time_takes_no_option_that_waits_for_real_time() {
        let rules = |engine| {
            let asked = Method {
                engine: Some(engine),
                until_steady_s: Some(60),
                cpu_latency_us: Some(0),
                ..Method::default()
            };
            method(&asked).iter().map(|finding| finding.name).collect::<Vec<_>>()
        };
        assert_eq!(rules(EngineKind::Sim), ["M1", "M2"]);
        assert_eq!(rules(EngineKind::Null), [] as [&str; 0]);
        assert!(method(&Method::default()).is_empty());
    }
}
