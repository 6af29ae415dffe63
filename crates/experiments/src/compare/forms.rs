//! The forms in which an answer is written to a file, by their words and endings.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    Html,
    Json,
    /// JUnit XML with a test case for each figure that decides.
    Junit,
    /// GitHub workflow commands: an annotation for each figure that decides.
    Github,
    /// Markdown of a GitHub job summary.
    Summary,
    /// OpenMetrics text of a GitLab metrics report.
    Metrics,
    /// Bencher Metric Format: JSON of benchmarks and their measures.
    Bencher,
}

#[derive(Debug, Clone, Copy)]
pub struct AnswerFormRow {
    pub form: AnswerForm,
    /// Word before the colon: `junit:FILE`.
    pub word: &'static str,
    pub ending: &'static str,
    pub about: &'static str,
}

const fn form_row(
    form: AnswerForm,
    word: &'static str,
    ending: &'static str,
    about: &'static str,
) -> AnswerFormRow {
    AnswerFormRow { form, word, ending, about }
}

pub const ANSWER_FORMS: [AnswerFormRow; 7] = [
    form_row(AnswerForm::Junit, "junit", ".junit.xml", "JUnit"),
    form_row(AnswerForm::Bencher, "bencher", ".bencher.json", "Bencher Metric Format"),
    form_row(AnswerForm::Metrics, "metrics", "metrics.txt", "OpenMetrics, as GitLab's metrics report"),
    form_row(AnswerForm::Summary, "summary", ".md", "Markdown, as GitHub's job summary"),
    form_row(AnswerForm::Github, "github", ".github.txt", "GitHub's annotations"),
    form_row(AnswerForm::Html, "html", ".html", "the page"),
    form_row(AnswerForm::Json, "json", ".json", "everything as JSON"),
];

impl AnswerForm {
    /// Parses `FILE` or `FORM:FILE`; `None` = neither.
    pub fn read(value: &str) -> Option<(AnswerForm, &str)> {
        let named = ANSWER_FORMS
            .iter()
            .find_map(|row| Some((row.form, value.strip_prefix(row.word)?.strip_prefix(':')?)));
        let by_ending = || {
            let row = ANSWER_FORMS.iter().find(|row| value.to_ascii_lowercase().ends_with(row.ending))?;
            Some((row.form, value))
        };
        named.or_else(by_ending).filter(|(_, file)| !file.is_empty())
    }

    pub fn expected_forms() -> String {
        let words: Vec<&str> = ANSWER_FORMS.iter().map(|row| row.word).collect();
        let endings: Vec<&str> = ANSWER_FORMS.iter().map(|row| row.ending).collect();
        format!(
            "a file that ends with one of {}, or a form before it ({}): junit:FILE, github:-",
            endings.join(" "),
            words.join(" ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_form_is_explicit_or_from_extension() {
        for (value, expected) in [
            ("a.junit.xml", Some((AnswerForm::Junit, "a.junit.xml"))),
            ("junit:report.xml", Some((AnswerForm::Junit, "report.xml"))),
            ("github:-", Some((AnswerForm::Github, "-"))),
            ("summary:out", Some((AnswerForm::Summary, "out"))),
            ("a.MD", Some((AnswerForm::Summary, "a.MD"))),
            ("metrics.txt", Some((AnswerForm::Metrics, "metrics.txt"))),
            ("a.bencher.json", Some((AnswerForm::Bencher, "a.bencher.json"))),
            ("a.json", Some((AnswerForm::Json, "a.json"))),
            ("b/page.html", Some((AnswerForm::Html, "b/page.html"))),
            ("a.xml", None),
            ("junit:", None),
            ("", None),
        ] {
            assert_eq!(AnswerForm::read(value), expected, "{value}");
        }
    }
}
