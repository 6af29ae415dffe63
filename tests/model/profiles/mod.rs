//! XML profiles: a corpus of documents with what becomes of them, round trips, other programs' opinion, hostile input.
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
