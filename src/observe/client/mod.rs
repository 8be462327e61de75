//! One MCP client that does what it is told about Roots, and sees everything: [`Session`].
//!
//! | module | what lives there |
//! |---|---|
//! | `process` | a server's process: start it in a group of its own, end the whole tree |
//! | `transcript` | every line with direction and time, to a file |
//! | `stdio`, `http` | messages over pipes, and over Streamable HTTP |
//! | `wire` | the one face of both |
//! | `roots` | what the client says about Roots, and what it was asked |
//! | `exchange` | what goes into a session and what comes out |
//! | `session` | a conversation in one era: requests, input requests, deadlines |
//!
//! Why JSON-RPC is spoken here and not through rmcp's client: that one answers `roots/list` whether or not the
//! capability was declared, drops what it cannot parse, decides itself about input rounds, and cannot be told never
//! to answer or to answer late. Those are the very things to be played and counted here, and the part of the protocol
//! that it takes is small. Where rmcp has no such opinion it does the work: the HTTP transport is its own.

mod exchange;
mod http;
mod process;
mod roots;
mod session;
mod stdio;
mod transcript;
mod wire;

pub use exchange::{About, Call, Client, Counts, Fault, Listing, OpenError, Remains, Reply, Target, UrlTarget};
pub use process::{Ending, Launch, StopReason};
pub use roots::{Ask, Moment, Root, RootsAnswer, RootsPolicy};
pub use session::{Era, Session, revision};
pub use stdio::{Captured, Noise};
pub use transcript::{Direction, Transcript};
