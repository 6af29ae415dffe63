//! Requests for presets and completions.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetRequest {
    /// All of them, a line each.
    List,
    /// Shows one run with all details.
    Show(String),
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    /// PowerShell, of Windows and of every system.
    PowerShell,
}
