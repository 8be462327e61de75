//! Paths as output shows them.

use std::path::{Component, Path};

/// Relative to the working directory when inside it, with `/`; what is not UTF-8 is replaced.
#[must_use]
pub fn display(path: &Path) -> String {
    let inside = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = inside.as_deref().unwrap_or(path);
    let parts: Vec<String> = path
        .components()
        .filter(|part| !matches!(part, Component::CurDir | Component::RootDir))
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let root = if path.has_root() { "/" } else { "" };
    let joined = format!("{root}{}", parts.join("/"));
    if joined.is_empty() { ".".to_owned() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_inside_the_working_directory_are_relative() {
        let here = std::env::current_dir().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(display(&here.join("src/main.rs")), "src/main.rs");
        assert_eq!(display(Path::new("./src/./main.rs")), "src/main.rs");
        assert_eq!(display(Path::new("/etc/passwd")), "/etc/passwd");
        assert_eq!(display(Path::new(".")), ".");
    }
}
