//! Usual causes of failed I/O. The texts of Windows' errors state the cause.

pub fn usual_cause(_: i32) -> &'static str {
    ""
}

pub fn usual_cause_of_command(_: i32) -> &'static str {
    ""
}
