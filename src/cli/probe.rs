//! `mcp-roots-lint probe`.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use super::{CommonArgs, Error, Exit, duration};
use crate::analyze::hosts::servers::{HostServer, names_secret, servers, shown_words};
use crate::knowledge::Knowledge;
use crate::observe::client::{Launch, Target, Transcript, UrlTarget};
use crate::observe::probe::{self, EraChoice, NamedCall, Plan, Verdict, View, human, json};
use crate::report::safe;

/// What follows `--help`.
pub(super) const AFTER_HELP: &str = "\
The server is started three times: with a client that declares roots, one that does not, and one
with an empty list; a fourth time without roots, where it matters, to tell what changes by itself
from what roots change. With --era auto it is also started to see which era it speaks, and once
more in the other era. With roots, one more root is added in the end. Only tools named by --call are called, in every
run; `{root}` in their arguments stands for the first root, `{added}` for the added one.
Without --root a temporary directory with two small files is the root.

Exit codes:
  0  the probe ran to its end, whatever it saw
  1  --expect named another verdict
  2  bad arguments, or a fault of the tool
  3  the server could not be run";

/// Values shorter than this are not hidden: `1` is no secret, and stands everywhere. Those of variables of this
/// process have to be a little longer.
const MIN_OWN_SECRET: usize = 4;
const MIN_SECRET: usize = 6;

/// Formats of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ProbeFormat {
    /// For a person
    #[default]
    Human,
    /// One JSON object
    Json,
}

/// Flags of `probe`.
#[derive(Debug, Args)]
#[group(id = "server", required = true, multiple = false, args = ["command", "url", "config"])]
pub(super) struct ProbeArgs {
    /// The server's command and its arguments, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// The Streamable HTTP endpoint of a running server
    #[arg(long, value_name = "URL", help_heading = "Server")]
    url: Option<String>,
    /// A host's config, of which --entry is started
    #[arg(long, value_name = "FILE", requires = "entry", help_heading = "Server")]
    config: Option<PathBuf>,
    /// The name of an entry in --config
    #[arg(long, value_name = "NAME", requires = "config", help_heading = "Server")]
    entry: Option<String>,

    /// The era to speak
    #[arg(long, value_enum, default_value_t, value_name = "ERA", help_heading = "Client")]
    era: EraChoice,
    /// A directory to declare as a root (repeatable)
    #[arg(long, value_name = "DIR", help_heading = "Client")]
    root: Vec<PathBuf>,
    /// A tool to call: `TOOL`, or `TOOL={"argument": …}` (repeatable)
    #[arg(long, value_name = "TOOL={json}", value_parser = parse_call, help_heading = "Client")]
    call: Vec<NamedCall>,
    /// How long to wait for each answer
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = duration::parse)]
    #[arg(help_heading = "Client")]
    timeout: Duration,

    /// How to print the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    format: ProbeFormat,
    /// Exit with 1 when the verdict is another
    #[arg(long, value_enum, value_name = "VERDICT", help_heading = "Output")]
    expect: Option<Verdict>,
    /// Write the raw traffic here, one JSON object a line; it may hold secrets
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    transcript: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArgs,
}

/// Arguments that do not fit what is there.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProbeError {
    #[error("--root {}: {error}", path.display())]
    Root { path: PathBuf, error: io::Error },
    #[error("--root {}: not a directory", .0.display())]
    NotDirectory(PathBuf),
    #[error("--config {}: {error}", path.display())]
    Config { path: PathBuf, error: io::Error },
    #[error("--config {}: {detail}", path.display())]
    Malformed { path: PathBuf, detail: String },
    #[error("--entry {name:?}: no such entry in {}; it has {known}", path.display())]
    Entry { name: String, path: PathBuf, known: String },
    #[error("--entry {name:?}: {} has {count} entries of this name", path.display())]
    Ambiguous { name: String, path: PathBuf, count: usize },
    #[error("--entry {entry:?}: {what} has `{variable}`, which only its host can fill in; give the command after `--`")]
    Variable { entry: String, what: &'static str, variable: String },
    #[error("--transcript {}: {error}", path.display())]
    Transcript { path: PathBuf, error: io::Error },
    #[error("--url {0}: not an http or https address")]
    Url(String),
    #[error("no temporary directory can be made: {0}")]
    Temporary(io::Error),
    #[error("interrupted; the server was ended")]
    Interrupted,
}

pub(super) fn run(args: ProbeArgs) -> Result<Exit, Error> {
    let knowledge = super::load(&args.common)?;
    let made_up = tempfile::Builder::new().prefix("mcp-roots-probe-").tempdir().map_err(ProbeError::Temporary)?;
    let made_up_path = made_up.path().canonicalize().map_err(ProbeError::Temporary)?;
    let (alpha, added) = (made_up_path.join("alpha"), made_up_path.join("beta"));
    for (directory, file) in [(&alpha, "README.md"), (&alpha, "notes.txt"), (&added, "README.md")] {
        make_file(directory, file).map_err(ProbeError::Temporary)?;
    }
    let roots: Vec<PathBuf> = match args.root.is_empty() {
        true => vec![alpha],
        false => args.root.iter().map(|path| root(path)).collect::<Result<_, _>>()?,
    };
    let subject = subject(&args, &knowledge, &roots[0])?;
    if args.config.is_some() {
        let _ = writeln!(io::stderr(), "runs {}", safe::text(&subject.shown));
    }
    let transcript = match &args.transcript {
        Some(path) => Transcript::create(path).map_err(|error| ProbeError::Transcript { path: path.clone(), error })?,
        None => Transcript::default(),
    };
    let fill = |call: &NamedCall| NamedCall {
        tool: call.tool.clone(),
        arguments: call.arguments.iter().map(|(key, value)| (key.clone(), filled(value, &roots[0], &added))).collect(),
    };
    let plan = Plan {
        configured: configured(&subject.target),
        target: subject.target,
        era: args.era,
        calls: args.call.iter().map(fill).collect(),
        added,
        timeout: args.timeout,
        roots,
    };

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let seen = runtime.block_on(async {
        // The server is in a process group of its own, where no Ctrl-C reaches it: dropping the probe ends it.
        tokio::select! {
            seen = probe::probe(&plan, &transcript) => Ok(seen),
            () = super::interrupt::interrupted() => Err(ProbeError::Interrupted),
        }
    });
    runtime.shutdown_background();
    let kept = transcript.finish();
    let seen = seen?;

    let secrets = secrets(&plan.target);
    let color = super::terminal(&args.common).color;
    let mut out = BufWriter::new(io::stdout().lock());
    let exit = match &seen {
        Ok(probe) => {
            let view = View { plan: &plan, probe, subject: subject.shown, secrets: &secrets };
            match args.format {
                ProbeFormat::Human => human::write(&view, color, &mut out)?,
                ProbeFormat::Json => json::write(&view, &mut out)?,
            }
            verdict(args.expect, probe.finding.verdict)
        }
        Err(not_run) => {
            let view = View { plan: &plan, probe: not_run, subject: subject.shown, secrets: &secrets };
            match args.format {
                ProbeFormat::Human => human::write_not_run(&view, &mut out)?,
                ProbeFormat::Json => json::write_not_run(&view, &mut out)?,
            }
            Exit::Incomplete
        }
    };
    out.flush()?;
    if let (Err(error), Some(path)) = (kept, args.transcript) {
        return Err(ProbeError::Transcript { path, error }.into());
    }
    Ok(exit)
}

/// What an expectation makes of a verdict.
fn verdict(expected: Option<Verdict>, seen: Verdict) -> Exit {
    match expected {
        Some(expected) if expected != seen => {
            let _ = writeln!(io::stderr(), "expected {}, saw {}", expected.name(), seen.name());
            Exit::Findings
        }
        _ => Exit::Clean,
    }
}

/// What is probed.
struct Subject {
    target: Target,
    /// The same for a person, without secrets.
    shown: String,
}

fn subject(args: &ProbeArgs, knowledge: &Knowledge, root: &Path) -> Result<Subject, ProbeError> {
    if let Some(url) = &args.url {
        return remote(url, Vec::new());
    }
    if let (Some(path), Some(name)) = (&args.config, &args.entry) {
        return entry(path, name, knowledge, root);
    }
    let mut words = args.command.iter().cloned();
    let program = words.next().unwrap_or_default();
    let launch = Launch { program, args: words.collect(), env: Vec::new(), cwd: None };
    Ok(Subject { shown: shown(&launch), target: Target::Command(launch) })
}

fn remote(url: &str, headers: Vec<(String, String)>) -> Result<Subject, ProbeError> {
    let parsed = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let mut shown = parsed.ok_or_else(|| ProbeError::Url(safe::text(url)))?;
    // Credentials can stand in all of these.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_query(shown.query().map(|_| "***"));
    Ok(Subject { target: Target::Url(UrlTarget { url: url.to_owned(), headers }), shown: shown.to_string() })
}

fn entry(path: &Path, name: &str, knowledge: &Knowledge, root: &Path) -> Result<Subject, ProbeError> {
    let text = fs::read_to_string(path).map_err(|error| ProbeError::Config { path: path.to_owned(), error })?;
    let servers = servers(knowledge, path, text)
        .map_err(|skipped| ProbeError::Malformed { path: path.to_owned(), detail: skipped.detail })?;
    let mut found = servers.iter().filter(|server| server.name == name);
    let Some(server) = found.next() else {
        let known: Vec<String> = servers.iter().map(|server| format!("{:?}", server.name)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(ProbeError::Entry { name: name.to_owned(), path: path.to_owned(), known });
    };
    if found.any(|other| other != server) {
        let count = servers.iter().filter(|server| server.name == name).count();
        return Err(ProbeError::Ambiguous { name: name.to_owned(), path: path.to_owned(), count });
    }
    let fill = |text: &str, what: &'static str| {
        fill_variables(text, server.workspace_variable.as_deref(), root).map_err(|variable| ProbeError::Variable {
            entry: name.to_owned(),
            what,
            variable,
        })
    };
    let pairs = |pairs: &[(String, String)], what| -> Result<Vec<(String, String)>, ProbeError> {
        pairs.iter().map(|(name, value)| Ok((name.clone(), fill(value, what)?))).collect()
    };
    let HostServer { words, url, env, headers, cwd, .. } = server;
    let Some((program, rest)) = words.split_first() else {
        return remote(&fill(url.as_deref().unwrap_or_default(), "the address")?, pairs(headers, "a header")?);
    };
    let rest: Vec<OsString> =
        rest.iter().map(|word| fill(word, "an argument").map(OsString::from)).collect::<Result<_, _>>()?;
    let cwd = cwd.as_deref().map(|cwd| fill(cwd, "the working directory")).transpose()?;
    let launch = Launch {
        program: fill(program, "the program")?.into(),
        args: rest,
        env: pairs(env, "a variable")?,
        cwd: cwd.map(PathBuf::from),
    };
    Ok(Subject { shown: shown(&launch), target: Target::Command(launch) })
}

/// Fills in what does not need the host: variables of the environment, and the folder that is open, which is the
/// first root here.
fn fill_variables(text: &str, workspace: Option<&str>, root: &Path) -> Result<String, String> {
    let root = root.to_string_lossy();
    let text = workspace.map_or_else(|| text.to_owned(), |variable| text.replace(variable, &root));
    let mut rest = text.as_str();
    let mut filled = String::new();
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else { break };
        let name = inside.strip_prefix("env:").unwrap_or(inside);
        // `${NAME:-default}`, as Claude Code has it.
        let (name, default) = name.split_once(":-").map_or((name, None), |(name, default)| (name, Some(default)));
        let value = match name {
            "workspaceFolder" => Some(root.to_string()),
            _ => std::env::var(name).ok().or_else(|| default.map(str::to_owned)),
        };
        filled.push_str(before);
        filled.push_str(&value.ok_or_else(|| format!("${{{inside}}}"))?);
        rest = behind;
    }
    Ok(filled + rest)
}

/// A command for a person: names of variables, never their values.
fn shown(launch: &Launch) -> String {
    let words = std::iter::once(&launch.program).chain(&launch.args);
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let quoted = |word: &String| shlex::try_quote(word).map_or_else(|_| word.clone(), |word| word.into_owned());
    let mut shown: Vec<String> = shown_words(&words).iter().map(quoted).collect();
    if !launch.env.is_empty() {
        let names: Vec<&str> = launch.env.iter().map(|(name, _)| name.as_str()).collect();
        shown.push(format!("(with {} set)", names.join(", ")));
    }
    if let Some(cwd) = &launch.cwd {
        shown.push(format!("(in {})", cwd.display()));
    }
    shown.join(" ")
}

/// What a report must not show: values of the entry's variables and headers, words of the command that look like
/// secrets, what a URL carries, and variables of this process that are named like secrets. Longer ones first: one can
/// be part of another.
fn secrets(target: &Target) -> Vec<String> {
    let mut secrets = match target {
        Target::Command(launch) => {
            let words: Vec<String> = launch.args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let shown = shown_words(&words);
            let hidden = words.iter().zip(&shown).filter(|(word, shown)| word != shown);
            let values = hidden.map(|(word, shown)| match shown.split_once('=').and(word.split_once('=')) {
                Some((_, value)) => value.to_owned(),
                None => word.clone(),
            });
            launch.env.iter().map(|(_, value)| value.clone()).chain(values).collect()
        }
        Target::Url(target) => {
            let mut values: Vec<String> = target.headers.iter().map(|(_, value)| value.clone()).collect();
            if let Ok(url) = url::Url::parse(&target.url) {
                values.extend([url.username(), url.password().unwrap_or_default()].map(str::to_owned));
                values.extend(url.query().map(str::to_owned));
                values.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
            }
            values
        }
    };
    secrets.retain(|value| value.len() >= MIN_OWN_SECRET);
    secrets.extend(std::env::vars_os().filter_map(|(name, value)| {
        // `SSH_AUTH_SOCK` is the path of a secret, not one itself.
        let value = value.into_string().ok().filter(|value| value.len() >= MIN_SECRET && !value.starts_with('/'))?;
        names_secret(&name.to_string_lossy()).then_some(value)
    }));
    // `Bearer X` is sent as a whole and quoted in part; and JSON spells some characters in its own way.
    let parts: Vec<String> = secrets
        .iter()
        .flat_map(|secret| secret.split_once(' '))
        .map(|(_, part)| part.to_owned())
        .filter(|part| part.len() >= MIN_SECRET)
        .collect();
    secrets.extend(parts);
    let spelt: Vec<String> = secrets.iter().map(|secret| Value::from(secret.as_str()).to_string()).collect();
    secrets.extend(spelt.iter().map(|text| text[1..text.len() - 1].to_owned()));
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.dedup();
    secrets
}

/// The directories among a command's arguments, also behind `--option=`.
fn configured(target: &Target) -> Vec<PathBuf> {
    let Target::Command(launch) = target else { return Vec::new() };
    let base = launch.cwd.clone().unwrap_or_default();
    let directories = launch.args.iter().filter_map(|word| {
        let word = word.to_string_lossy();
        let value = if word.starts_with('-') { word.split_once('=')?.1 } else { &word };
        let path = base.join(value).canonicalize().ok()?;
        path.is_dir().then_some(path)
    });
    directories.collect()
}

fn root(path: &Path) -> Result<PathBuf, ProbeError> {
    let canonical = path.canonicalize().map_err(|error| ProbeError::Root { path: path.to_owned(), error })?;
    if canonical.is_dir() { Ok(canonical) } else { Err(ProbeError::NotDirectory(path.to_owned())) }
}

fn make_file(directory: &Path, name: &str) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let title = directory.file_name().unwrap_or_default().to_string_lossy();
    fs::write(directory.join(name), format!("{title}: {name}\nmade by mcp-roots-lint probe\n"))
}

/// A value with the placeholders of paths filled in.
fn filled(value: &Value, root: &Path, added: &Path) -> Value {
    match value {
        Value::String(text) => {
            let text = text.replace("{root}", &root.to_string_lossy());
            Value::String(text.replace("{added}", &added.to_string_lossy()))
        }
        Value::Array(items) => items.iter().map(|item| filled(item, root, added)).collect(),
        Value::Object(properties) => {
            Value::Object(properties.iter().map(|(key, value)| (key.clone(), filled(value, root, added))).collect())
        }
        other => other.clone(),
    }
}

fn parse_call(text: &str) -> Result<NamedCall, String> {
    let (tool, arguments) = text.split_once('=').unwrap_or((text, "{}"));
    if tool.is_empty() {
        return Err("no tool is named before `=`".to_owned());
    }
    let arguments: Map<String, Value> = serde_json::from_str(arguments)
        .map_err(|error| format!("what follows `{tool}=` is not a JSON object: {error}"))?;
    Ok(NamedCall { tool: tool.to_owned(), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_hosts() {
        let root = Path::new("/r");
        let fill = |text: &str| fill_variables(text, Some("{{ws}}"), root);
        assert_eq!(fill("a ${workspaceFolder}/b {{ws}}"), Ok("a /r/b /r".to_owned()));
        assert_eq!(fill("${NO_SUCH_VARIABLE:-d}"), Ok("d".to_owned()));
        assert_eq!(fill("${input:key}"), Err("${input:key}".to_owned()));
        assert_eq!(fill("${open"), Ok("${open".to_owned()));
    }

    #[test]
    fn calls_name_a_tool_and_an_object() {
        let call = parse_call(r#"read={"path": "{root}/x=y"}"#);
        assert_eq!(call.map(|call| (call.tool, call.arguments.len())), Ok(("read".to_owned(), 1)));
        assert_eq!(parse_call("list").map(|call| call.arguments.len()), Ok(0));
        for wrong in ["=x", "x=", "x=[]", "x={"] {
            assert!(parse_call(wrong).is_err(), "{wrong}");
        }
        assert_eq!(filled(&Value::from("{root}/{added}"), Path::new("/a"), Path::new("/b")), "/a//b");
    }
}
