//! Rules that relate several settings of a profile.
