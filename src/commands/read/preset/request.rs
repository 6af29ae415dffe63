//! Request of `preset`.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetRequest {
    /// All of them, a line each.
    List,
    /// One, with everything that is known about it.
    Show(String),
    /// The page of the documentation.
    Markdown,
}
