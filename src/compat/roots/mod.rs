//! Roots, done fully: what a client answered ([`set`]), asking for it in each era ([`session`], [`rounds`]), and what
//! is done when there is nothing usable ([`degrade`]).

pub mod degrade;
pub mod rounds;
pub mod session;
pub mod set;
