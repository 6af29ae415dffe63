//! The command line: one flag table, from which come parser, help, man page, completions and compatibility table.
