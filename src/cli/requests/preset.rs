//! Requests for presets and completions.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetRequest {
    /// All of them, a line each.
    List,
    /// One, with everything that is known about it.
    Show(String),
    /// The page of the documentation.
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
