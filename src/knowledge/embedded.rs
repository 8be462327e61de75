//! The knowledge files that are compiled into the binary; `build.rs` writes the table.

/// `(path below rules/, text)`, in path order.
pub(super) static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));
