//! `mcp-roots-lint serve` on standard input and output, with clients that do what no library lets them do: lines that
//! are no messages, answers that are none, silence, floods, and forged states.
#![cfg(feature = "runtime")]

#[path = "../support/serve/mod.rs"]
mod serve;

mod handshake;
mod legacy;
mod lines;
mod modern;
mod observed;
mod process;
mod survival;
