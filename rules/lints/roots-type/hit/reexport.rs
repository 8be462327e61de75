//! Re-exports hand the deprecated types on; an import that nothing uses is reported by itself.

pub use rmcp::model::{CallToolResult, ListRootsResult as Folders}; //~ roots-type deprecated

/// What applications need most.
pub mod prelude {
    pub use rmcp::ServiceExt;
    pub use rmcp::model::Root; //~ roots-type deprecated
}

pub mod notifications {
    pub use rmcp::model::RootsListChangedNotification; //~ roots-type removed
}

pub fn is_error(result: &CallToolResult) -> bool {
    result.is_error.unwrap_or(false)
}
