//! Findings in the form shown to the user: severity, time span, text. Names, figures and remedies belong
//! to the verdict, which is recomputed from the record.

use super::{Finding, Severity};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

#[derive(Serialize, Deserialize)]
struct StoredFinding<'a> {
    severity: Severity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_span: Option<usize>,
    message: Cow<'a, str>,
}

/// Serializes findings in order.
pub fn serialize<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.iter().map(|finding| StoredFinding {
        severity: finding.severity,
        time_span: finding.place.time_span,
        message: Cow::Borrowed(&finding.message),
    }))
}

/// Deserializes findings in order.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Finding>, D::Error> {
    let stored = Vec::<StoredFinding>::deserialize(deserializer)?.into_iter();
    let finding = |told: StoredFinding| {
        Finding::of_machine("", told.severity, told.message).in_time_span(told.time_span)
    };
    Ok(stored.map(finding).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_findings_are_read_back() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Holder(#[serde(with = "super")] Vec<Finding>);
        let told = Holder(vec![
            Finding::note("a"),
            Finding::warning("b").in_time_span(Some(2)),
            Finding::error("c"),
        ]);
        let stored = serde_json::to_string(&told).unwrap();
        let as_stored = [
            r#"[{"severity":"note","message":"a"}"#,
            r#"{"severity":"warning","time_span":2,"message":"b"}"#,
            r#"{"severity":"error","message":"c"}]"#,
        ];
        assert_eq!(stored, as_stored.join(","));
        assert_eq!(serde_json::from_str::<Holder>(&stored).unwrap(), told);
    }
}
