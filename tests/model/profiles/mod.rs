//! Tests of XML profiles: a corpus of documents with results, round trips, other programs' validation,
//! hostile input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corpus;
mod fragments;
mod generated;
mod hostile;
mod round_trip;
mod run;
mod settings;
mod table;
mod third_party;
mod written;

use table::rows;
use written::written;
