//! The beginning of an SDK: it spells Roots out so that others need not.

pub const LIST_CHANGED: &str = "notifications/roots/list_changed";
