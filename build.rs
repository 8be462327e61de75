//! Embeds the knowledge under `rules/`: writes a table of every data file and page, in path order.
//! Fixtures are left out; a new file needs no edit here or anywhere else in Rust.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

use walkdir::WalkDir;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=rules");
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("rules");
    let mut table = String::from("&[\n");
    for entry in WalkDir::new(&root).sort_by_file_name() {
        let entry = entry?;
        let relative = entry.path().strip_prefix(&root)?;
        let is_fixture = relative.components().any(|part| ["hit", "miss"].iter().any(|name| part.as_os_str() == *name));
        let is_knowledge =
            relative.extension().is_some_and(|ext| ext == "toml" || (ext == "md" && relative.starts_with("lints")));
        // Scenarios are no knowledge about Roots; `compare` has its own.
        let is_scenario = relative.starts_with("scenarios");
        if entry.file_type().is_file() && is_knowledge && !is_fixture && !is_scenario {
            let name = relative.to_string_lossy().replace('\\', "/");
            writeln!(table, "    ({name:?}, include_str!({:?})),", entry.path())?;
        }
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), table)?;
    Ok(())
}
