//! Reports: pure functions of a record.
