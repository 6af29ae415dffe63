//! What is asked of presets and completions.

/// What is to be seen of named workloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresetRequest {
    /// All of them, a line each.
    List,
    /// One, with everything that is known about it.
    Show(String),
    /// The page of the documentation.
    Markdown,
}

/// A shell with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// GNU bash.
    Bash,
    /// Z shell.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell, of Windows and of every system.
    PowerShell,
}
