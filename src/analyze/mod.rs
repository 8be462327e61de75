//! Analyzers: from a file's text to [`crate::usage::Usage`]s. They know no dates, levels or formats.

pub mod hosts;
pub mod rust;
mod uri;
