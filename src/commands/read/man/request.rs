//! Shells that `completions` has a script for.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    /// Windows PowerShell, and PowerShell of any system.
    PowerShell,
}
