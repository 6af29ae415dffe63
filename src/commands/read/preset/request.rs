//! Request of `preset`.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetRequest {
    /// Lists all presets.
    List,
    /// Prints one preset with all details.
    Show(String),
    Markdown,
}
