//! The reference compatibility server: full Roots in both protocol eras, and the same tools in each migrated form.
//!
//! Only here is Roots *used*; what rmcp marks as deprecated is the subject, so the lint is off for this module.

pub mod boundary;
pub mod count;
pub mod uri;
