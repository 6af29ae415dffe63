//! Records and what is known of a run: the stored form of a record, read and written (`json`); the result XML
//! that DISKSPD writes, read (`result_xml`); and what lists and comparisons need of either (`known`,
//! `index`).

mod figures;
pub mod index;
pub mod json;
pub mod known;
pub mod result_xml;
