//! Shells that `completions` has a script for.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    /// PowerShell, of Windows and of every system.
    PowerShell,
}
