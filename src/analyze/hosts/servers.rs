//! The servers of one config, as a host would start them: for commands that run one. Values are whole here, secrets
//! and all; what may be shown of them is said by [`shown_words`].

use std::path::Path;

use super::document;
use super::entries::{self, Entry};
use super::files::{ConfigFiles, syntax_of};
use super::launch::is_variable_name;
use super::redact::looks_secret;
use super::{host_of, skip};
use crate::finding::Skipped;
use crate::knowledge::Knowledge;
use crate::project::source::Source;

/// One server of a config.
#[derive(Clone, PartialEq, Eq)]
pub struct HostServer {
    /// The name of the entry.
    pub name: String,
    /// Program and arguments; empty for a remote server.
    pub words: Vec<String>,
    /// The address of a remote server.
    pub url: Option<String>,
    /// Variables. May hold secrets.
    pub env: Vec<(String, String)>,
    /// HTTP headers. May hold secrets.
    pub headers: Vec<(String, String)>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The host's variable for the folder that is open, such as `${workspaceFolder}`.
    pub workspace_variable: Option<String>,
}

/// Reads the servers of a config, in order. Entries without a name are left out.
///
/// # Errors
/// When the text does not parse.
pub fn servers(knowledge: &Knowledge, path: &Path, text: String) -> Result<Vec<HostServer>, Skipped> {
    let files = ConfigFiles::new(knowledge);
    let known = files.of(path);
    let syntax = known.first().map(|(_, file)| file.syntax).or_else(|| syntax_of(path));
    // A file that the user names is a config, whatever its name.
    let syntax = syntax.unwrap_or(crate::knowledge::host::Syntax::Json);
    let source = Source::new(path.to_owned(), text);
    let documents = document::parse(syntax, source.text()).map_err(|malformed| skip(&source, &malformed))?;
    let variable = host_of(&known, &documents).and_then(|host| host.workspace_variable.clone());
    let found = documents.iter().flat_map(entries::find);
    Ok(found.filter_map(|entry| server(&entry, variable.as_deref())).collect())
}

fn server(entry: &Entry<'_>, variable: Option<&str>) -> Option<HostServer> {
    let mut words: Vec<String> = entry.words.iter().map(|word| word.text.clone()).collect();
    let mut env: Vec<_> = entry.env.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect();
    // `NAME=value program`, as in a shell.
    let is_assignment = |word: &String| word.split_once('=').is_some_and(|(name, _)| is_variable_name(name));
    let assignments = words.iter().take_while(|word| is_assignment(word)).count();
    let assigned = words.drain(..assignments);
    env.extend(
        assigned.filter_map(|word| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))),
    );
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Some(HostServer {
        name: entry.name?.to_owned(),
        words,
        url: entry.url.as_ref().map(|url| url.text.clone()),
        env,
        headers: entry.headers.iter().map(owned).collect(),
        cwd: entry.cwd.map(str::to_owned),
        workspace_variable: variable.map(str::to_owned),
    })
}

/// The words of a command for a person, with `***` for what may be a secret: a word that looks like one, and what
/// follows an option that is named like one.
#[must_use]
pub fn shown_words(words: &[String]) -> Vec<String> {
    let is_option = |word: &String| word.starts_with('-') && !word.contains('=') && names_secret(word);
    let each = words.iter().enumerate().map(|(at, word)| {
        let is_value = at.checked_sub(1).is_some_and(|before| is_option(&words[before]));
        match word.split_once('=') {
            _ if is_value => "***".to_owned(),
            Some((name, _)) if names_secret(name) || looks_secret(word) => format!("{name}=***"),
            _ if looks_secret(word) => "***".to_owned(),
            _ => word.clone(),
        }
    });
    each.collect()
}

/// Whether the name of an option or a variable says that its value is a secret.
#[must_use]
pub fn names_secret(name: &str) -> bool {
    const WORDS: [&str; 7] = ["token", "secret", "passw", "credential", "auth", "apikey", "bearer"];
    let name = name.to_lowercase();
    let key = name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "key" | "pass" | "pat"));
    key || WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_command_are_not_shown() {
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        let shown = |line: &str| shown_words(&words(line)).join(" ");
        assert_eq!(shown("npx -y @scope/pkg@1.2.3 /srv/dir"), "npx -y @scope/pkg@1.2.3 /srv/dir");
        assert_eq!(shown("x --api-key abc --token=abc dir"), "x --api-key *** --token=*** dir");
        assert_eq!(shown("x -e GITHUB_PAT=abc sk-abcdef --keyboard us"), "x -e GITHUB_PAT=*** *** --keyboard us");
    }
}
