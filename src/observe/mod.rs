//! The client side of the runtime: sees a server use Roots, and proves that a migration changed nothing else.

pub mod client;
pub mod compare;
