//! The client side of the runtime: `probe` sees a server use Roots, `compare` proves that a migration changed
//! nothing else. Both sit on one client layer; the command line is in `cli`.

pub mod client;
pub mod compare;
pub mod probe;
