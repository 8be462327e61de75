//! Types of rmcp in fields, signatures, constants and methods; one finding for each item.

use std::path::Path;

use rmcp::model::{ClientNotification, ListRootsResult, Root, RootsListChangedNotification};

struct Session {
    name: String,
    roots: Vec<Root>, //~ roots-type deprecated
    last: Option<Root>,
}

fn root_for(folder: &Path) -> Option<Root> { //~ roots-type deprecated
    let uri = url::Url::from_directory_path(folder).ok()?;
    Some(Root::new(uri.as_str()).with_name(folder.display().to_string()))
}

impl Session {
    fn answer(&self) -> ListRootsResult { //~ roots-type deprecated
        ListRootsResult::new(self.roots.clone())
    }

    fn first_uri(&self) -> Option<&str> {
        self.roots.first().map(|root| root.uri.as_str())
    }
}

type Folders = std::collections::BTreeMap<String, Root>; //~ roots-type deprecated

static EMPTY: std::sync::LazyLock<ListRootsResult> = std::sync::LazyLock::new(Default::default); //~ roots-type deprecated

fn changed() -> ClientNotification {
    RootsListChangedNotification::default().into() //~ roots-type removed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_name() {
        let root = Root::new("file:///srv/app").with_name("app"); //~ roots-type deprecated
        assert_eq!(root.name.as_deref(), Some("app"));
    }
}
