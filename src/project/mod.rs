//! What there is to read: files, their text, and the packages they belong to.

pub mod manifest;
pub mod source;
pub mod walk;
