//! Records and run summaries. `json` is the stored form of a record; `formats` reads other programs'
//! results (result XML, text reports, fio's JSON). `known` and `index` provide the data for lists and
//! comparisons.

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
