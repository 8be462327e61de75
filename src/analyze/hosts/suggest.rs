//! What to write into a config instead: the arguments, variables or folder, in the host's own words.

use super::entries::{ArgsForm, Entry};
use super::launch::Started;
use super::redact::showable;
use crate::knowledge::host::{Host, Syntax};
use crate::knowledge::server::{LaunchKind, Server};

/// Stands for a directory where the host has no variable for the open folder.
const PATH: &str = "/path/to/project";
/// Stands for a directory as a container sees it.
const MOUNTED: &str = "/path/in/container";

/// Lines of help for an entry that needs what roots gave it.
/// `package` is the index of the word that names what is started.
pub(super) fn replacement(
    server: &Server,
    entry: &Entry<'_>,
    package: Option<usize>,
    started: &Started,
    host: Option<&Host>,
    syntax: Syntax,
) -> Vec<String> {
    let replacement = &server.replacement;
    let in_container = started.kind == LaunchKind::Docker;
    let variable = host.and_then(|host| host.workspace_variable.as_deref());
    let directory = if in_container { MOUNTED } else { variable.unwrap_or(PATH) };
    let fill = |text: &String| text.replace("{directory}", directory);
    let mut help = Vec::new();
    let mut names_path = false;
    if !replacement.args.is_empty() {
        let added: Vec<String> = replacement.args.iter().map(fill).collect();
        names_path |= added.iter().any(|arg| arg.contains(PATH));
        help.push(match package {
            // Pasting a long or partly hidden list back would destroy it.
            Some(package) if !is_short(entry, package, &started.name) => {
                let added: Vec<String> = added.iter().map(|arg| quoted(arg, syntax)).collect();
                format!("name the directory: add {} to the arguments", added.join(", "))
            }
            Some(package) => {
                format!("name the directory: `{}`", arguments(entry, package, &started.name, &added, syntax))
            }
            None => format!("name the directory after `{}` in the command line: `{}`", started.name, added.join(" ")),
        });
    }
    for (name, value) in &replacement.env {
        let value = fill(value);
        names_path |= value.contains(PATH);
        help.push(format!("set the variable: `{}`", variable_setting(name, &value, syntax)));
    }
    if replacement.cwd && host.is_some_and(|host| host.entry_cwd) {
        names_path |= variable.is_none();
        help.push(format!("start it in the directory: `{}`", assignment("cwd", &quoted(directory, syntax), syntax)));
    }
    if in_container && !replacement.args.is_empty() {
        help.push(format!("mount the directory and put its path in the container in place of `{MOUNTED}`"));
    }
    if names_path {
        let host = host.filter(|host| !host.is_generic).map_or("the host", |host| host.name.as_str());
        help.push(format!(
            "put the absolute path in place of `{PATH}`: no variable for the open folder is known for {host}"
        ));
    }
    help.extend(replacement.text.iter().cloned());
    help
}

/// The entry's arguments with more at the end, as they would stand in the file.
fn arguments(entry: &Entry<'_>, package: usize, name: &str, added: &[String], syntax: Syntax) -> String {
    let shown: Vec<String> = entry
        .words
        .iter()
        .zip(showable(&entry.words, Some(package), name))
        .enumerate()
        .map(|(at, (word, showable))| match showable {
            true => word.text.clone(),
            false if at == package => name.to_owned(),
            false => "…".to_owned(),
        })
        .collect();
    let all = |words: &[String]| -> Vec<String> { words.iter().chain(added).cloned().collect() };
    let list = |words: Vec<String>| {
        let words: Vec<String> = words.iter().map(|word| quoted(word, syntax)).collect();
        format!("[{}]", words.join(", "))
    };
    match &entry.args_form {
        ArgsForm::CommandList(key) => assignment(key, &list(all(&shown)), syntax),
        ArgsForm::Line(key) => {
            let first = usize::from(key == "args" || key == "arguments");
            assignment(key, &quoted(&all(shown.get(first..).unwrap_or_default()).join(" "), syntax), syntax)
        }
        ArgsForm::List(key) => assignment(key, &list(all(shown.get(1..).unwrap_or_default())), syntax),
        ArgsForm::Absent => assignment("args", &list(added.to_vec()), syntax),
    }
}

/// Whether the whole list of words can be shown.
fn is_short(entry: &Entry<'_>, package: usize, name: &str) -> bool {
    let shown = showable(&entry.words, Some(package), name);
    entry.words.len() <= 10 && shown.iter().enumerate().skip(1).all(|(at, shown)| *shown || at == package)
}

fn assignment(key: &str, value: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Json => format!("\"{key}\": {value}"),
        Syntax::Yaml | Syntax::FrontMatter => format!("{key}: {value}"),
        Syntax::Toml => format!("{key} = {value}"),
        Syntax::Properties => format!("{key}={value}"),
    }
}

fn variable_setting(name: &str, value: &str, syntax: Syntax) -> String {
    let value = quoted(value, syntax);
    match syntax {
        Syntax::Json => format!("\"env\": {{ \"{name}\": {value} }}"),
        Syntax::Yaml | Syntax::FrontMatter => format!("env: {{ {name}: {value} }}"),
        Syntax::Toml => format!("env = {{ {name} = {value} }}"),
        Syntax::Properties => format!("env.{name}={value}"),
    }
}

fn quoted(text: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Properties => text.to_owned(),
        _ => serde_json::Value::from(text).to_string(),
    }
}
