//! Records and what is known of a run: the stored form of a record, read and written (`json`); the results
//! that other programs write, read (`formats`: result XML, text reports, fio's JSON); and what lists and
//! comparisons need of all of them (`known`, `index`).

pub mod answers;
pub mod decode;
pub mod fault;
mod figures;
pub mod fio;
pub mod formats;
pub mod index;
pub mod json;
pub mod known;
mod number;

pub mod result_text;
pub mod result_xml;
mod short;
