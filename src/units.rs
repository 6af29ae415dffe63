//! Sizes, durations, percents: the only parsing and printing of them.
