//! Finds every use of MCP Roots, says what a protocol revision does to it, and what to use instead.
//!
//! One direction of data flow, one module a step:
//!
//! | module | what lives there |
//! |---|---|
//! | [`knowledge`] | `rules/` loaded and validated: protocol, rules, SDKs, wire |
//! | [`project`] | what to read: the walk, source text, manifests |
//! | [`analyze`] | syntax → [`usage::Usage`]: places where Roots is used, without a verdict |
//! | [`judge`] | usage + knowledge + target → [`finding::Finding`]; suppressions |
//! | [`report`] | findings → human, short and JSON output |
//! | [`check`] | runs the steps |
//! | `compat` | the reference server that still serves Roots (feature `runtime`) |
//! | `observe` | the client side: probe a server, compare before with after (feature `runtime`) |
//! | [`cli`] | the command line |
//!
//! Analyzers know no dates, levels or formats; the judge knows no syntax; reports decide nothing.

pub mod analyze;
pub mod check;
pub mod cli;
#[cfg(feature = "runtime")]
pub mod compat;
pub mod finding;
pub mod judge;
pub mod knowledge;
#[cfg(feature = "runtime")]
pub mod observe;
pub mod project;
pub mod report;
pub mod settings;
pub mod usage;
