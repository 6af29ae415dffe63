//! Request of `preset`.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetRequest {
    /// All of them, a line each.
    List,
    /// Shows one run with all details.
    Show(String),
    Markdown,
}
