//! Good literals, URIs made at run time, and other strings with a scheme.

use std::path::Path;

use rmcp::model::{RawResource, Root};
use url::Url;

fn good() -> [Root; 3] {
    [
        Root::new("file:///srv/app"),
        Root::new("file:///c%3A/projects/app".to_owned()),
        Root::new("file://localhost/srv/lib").with_name("https://example.com/lib"),
    ]
}

fn made(folder: &Path) -> Option<Root> {
    let uri = Url::from_directory_path(folder).ok()?;
    Some(Root::new(uri.as_str()))
}

fn formatted(folder: &str) -> Root {
    Root::new(format!("file://{folder}"))
}

fn formatted_whole(scheme: &str, folder: &str) -> Root {
    Root::new(format!("{scheme}://{folder}"))
}

fn copied(uri: &str) -> Root {
    Root::new(uri)
}

fn resource() -> RawResource {
    RawResource::new("https://example.com/readme", "readme")
}

/// `Root::new("https://example.com")` would be wrong.
fn documentation() -> &'static str {
    "https://modelcontextprotocol.io/specification/2025-11-25/client/roots"
}
