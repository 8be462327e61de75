//! Launchers taken off: from the words of an entry to the package or program that they start.

use semver::Version;

use super::entries::{Word, split_line};
use crate::knowledge::server::LaunchKind;

/// Wrappers inside wrappers that are followed.
const MAX_WRAPPERS: usize = 8;

/// What an entry starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Started {
    pub kind: LaunchKind,
    pub name: String,
    /// The pinned version, if it is one.
    pub version: Option<Version>,
    /// The word that names it.
    pub word: Word,
    /// The words after it.
    pub args: Vec<Word>,
    /// Variables that the launcher sets: `docker run -e X=1`, `env X=1`.
    pub env: Vec<(String, String, Word)>,
}

/// Everything that the words can mean, most specific first: a package and the program that it brings, or just a
/// program.
pub(super) fn unwrap(words: &[Word]) -> Vec<Started> {
    let mut found = Vec::new();
    step(words, Vec::new(), 0, &mut found);
    found
}

type Env = Vec<(String, String, Word)>;

fn step(words: &[Word], mut env: Env, depth: usize, found: &mut Vec<Started>) {
    let Some((first, rest)) = words.split_first() else { return };
    if depth > MAX_WRAPPERS {
        return;
    }
    let program = program_name(&first.text);
    let mut again = |words: &[Word], env: Env| step(words, env, depth + 1, found);
    let sub = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    match (program.as_str(), sub) {
        ("npx" | "bunx" | "pnpx", _) => package(rest, LaunchKind::Npm, &["-p", "--package"], env, found),
        ("bun", "x") | ("pnpm" | "yarn", "dlx") | ("npm", "exec" | "x") | ("pnpm", "exec") => {
            package(&rest[1..], LaunchKind::Npm, &["-p", "--package"], env, found);
        }
        ("uvx" | "pipx", "run") => package(&rest[1..], LaunchKind::Pypi, &["--from", "--spec"], env, found),
        ("uvx", _) => package(rest, LaunchKind::Pypi, &["--from"], env, found),
        ("uv", "tool") if rest.get(1).is_some_and(|word| word.text == "run") => {
            package(&rest[2..], LaunchKind::Pypi, &["--from"], env, found);
        }
        ("uv", "run") => {
            let rest = skip_options(&rest[1..], &UV_VALUES, &mut env);
            again(rest, env);
        }
        ("python" | "python3" | "py", _) if rest.iter().any(|word| word.text == "-m") => {
            let at = rest.iter().position(|word| word.text == "-m").unwrap_or_default();
            named(&rest[at + 1..], LaunchKind::PythonModule, env, found);
        }
        ("dnx", _) => package(rest, LaunchKind::Nuget, &[], env, found),
        ("dotnet", "dnx") => package(&rest[1..], LaunchKind::Nuget, &[], env, found),
        ("dotnet", "tool") if rest.get(1).is_some_and(|word| matches!(word.text.as_str(), "run" | "exec")) => {
            package(&rest[2..], LaunchKind::Nuget, &[], env, found);
        }
        ("docker" | "podman" | "nerdctl", "run") => {
            let rest = skip_options(&rest[1..], &DOCKER_VALUES, &mut env);
            if let Some((image, args)) = rest.split_first() {
                let (name, version) = split_tag(&image.text);
                found.push(started(LaunchKind::Docker, name, version, image, args, env));
            }
        }
        ("docker", "container") if rest.get(1).is_some_and(|word| word.text == "run") => {
            again(&[std::slice::from_ref(first), &rest[1..]].concat(), env);
        }
        ("cmd", _) => {
            let rest: Vec<Word> = rest.iter().skip_while(|word| word.text.starts_with('/')).cloned().collect();
            again(&resplit(rest), env);
        }
        ("sh" | "bash" | "zsh" | "dash" | "fish" | "powershell" | "pwsh", _) => {
            let line = rest.iter().position(|word| {
                let text = word.text.to_lowercase();
                (text.starts_with('-') && text.ends_with('c') && !text.starts_with("--")) || text == "-command"
            });
            match line.and_then(|at| rest.get(at + 1)) {
                Some(line) => again(&split_line(&line.text, &line.span), env),
                None => bin(first, rest, program, env, found),
            }
        }
        ("env", _) => {
            let rest = assignments(rest, &mut env);
            again(rest, env);
        }
        ("sudo" | "nohup" | "nice" | "fvm" | "exec" | "time" | "caffeinate" | "xvfb-run" | "dotenvx", _) => {
            let rest = skip_options(rest, &[], &mut env);
            again(rest, env);
        }
        ("wsl", _) => {
            let rest = skip_options(rest, &["-d", "--distribution", "-u", "--user", "--cd"], &mut env);
            again(rest, env);
        }
        ("mise" | "rtx" | "direnv" | "op" | "doppler" | "asdf", "exec" | "x" | "run") => {
            match rest.iter().position(|word| word.text == "--") {
                Some(at) => again(&rest[at + 1..], env),
                None => again(skip_options(&rest[1..], &[], &mut env), env),
            }
        }
        ("node" | "nodejs" | "tsx" | "bun" | "deno", _) => {
            let skip = usize::from(matches!(sub, "run" | "serve"));
            let rest =
                skip_options(&rest[skip.min(rest.len())..], &["-r", "--require", "--import", "--env-file"], &mut env);
            let Some((script, args)) = rest.split_first() else { return };
            match module_package(&script.text) {
                Some((name, version)) => {
                    found.push(started(LaunchKind::Npm, name, version, script, args, env));
                }
                None => bin(script, args, program_name(&script.text), env, found),
            }
        }
        ("java" | "javaw", _) => {
            let rest = skip_options(rest, &["-cp", "-classpath", "--class-path", "-p", "--module-path"], &mut env);
            if let Some((class, args)) = rest.split_first() {
                bin(class, args, class.text.clone(), env, found);
            }
        }
        // `X=1 program` in a shell line.
        _ if first.text.split_once('=').is_some_and(|(name, _)| is_variable_name(name)) => {
            let rest = assignments(words, &mut env);
            again(rest, env);
        }
        _ => match module_package(&first.text) {
            Some((name, version)) => found.push(started(LaunchKind::Npm, name, version, first, rest, env)),
            None => bin(first, rest, program, env, found),
        },
    }
}

/// Options of `docker run` that take a value.
const DOCKER_VALUES: [&str; 26] = [
    "-v",
    "--volume",
    "-e",
    "--env",
    "--name",
    "--mount",
    "-p",
    "--publish",
    "--network",
    "--net",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "--entrypoint",
    "--env-file",
    "--platform",
    "-m",
    "--memory",
    "--cpus",
    "-l",
    "--label",
    "-h",
    "--hostname",
    "--add-host",
    "--pull",
];
/// Options of `uv run` that take a value.
const UV_VALUES: [&str; 8] =
    ["--with", "--directory", "--project", "-p", "--python", "--from", "--env-file", "--extra"];

/// The words after leading options; values of `-e` and `--env` are noted.
fn skip_options<'w>(mut words: &'w [Word], with_value: &[&str], env: &mut Env) -> &'w [Word] {
    while let Some((first, rest)) = words.split_first() {
        if first.text == "--" {
            return rest;
        }
        if !first.text.starts_with('-') {
            break;
        }
        let takes_value = with_value.contains(&first.text.as_str());
        let is_env = matches!(first.text.as_str(), "-e" | "--env");
        if let (true, Some(value)) = (is_env && takes_value, rest.first()) {
            note(value, env);
        }
        words = if takes_value { rest.get(1..).unwrap_or_default() } else { rest };
    }
    words
}

fn assignments<'w>(mut words: &'w [Word], env: &mut Env) -> &'w [Word] {
    while let Some((first, rest)) = words.split_first() {
        let assigns = first.text.split_once('=').is_some_and(|(name, _)| is_variable_name(name));
        if assigns {
            note(first, env);
        } else if !first.text.starts_with('-') {
            break;
        }
        words = rest;
    }
    words
}

pub(super) fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn note(word: &Word, env: &mut Env) {
    if let Some((name, value)) = word.text.split_once('=') {
        env.push((name.to_owned(), value.to_owned(), word.clone()));
    }
}

/// `npx -y --package=X program args`: the package, and the program that it brings.
fn package(words: &[Word], kind: LaunchKind, from: &[&str], env: Env, found: &mut Vec<Started>) {
    let mut source: Option<Word> = None;
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        if let Some((option, value)) = first.text.split_once('=')
            && from.contains(&option)
        {
            source = Some(Word { text: value.to_owned(), span: first.span.clone() });
            words = rest;
        } else if from.contains(&first.text.as_str()) {
            source = rest.first().cloned();
            words = rest.get(1..).unwrap_or_default();
        } else if matches!(first.text.as_str(), "--python" | "--with" | "--registry" | "--prefix" | "-c" | "--call") {
            words = rest.get(1..).unwrap_or_default();
        } else if first.text.starts_with('-') {
            words = rest;
        } else {
            break;
        }
    }
    match source {
        Some(source) => {
            let (name, version) = split_version(&source.text, kind);
            let args = words.get(1..).unwrap_or_default();
            found.push(started(kind, name, version, &source, args, env.clone()));
            if let Some((program, args)) = words.split_first() {
                bin(program, args, program_name(&program.text), env, found);
            }
        }
        None => named(words, kind, env, found),
    }
}

fn named(words: &[Word], kind: LaunchKind, env: Env, found: &mut Vec<Started>) {
    if let Some((word, args)) = words.split_first() {
        // `npx -y package -- args` and `dnx package --yes args`.
        let args: Vec<Word> =
            args.iter().skip_while(|word| matches!(word.text.as_str(), "--" | "--yes" | "-y")).cloned().collect();
        let (name, version) = split_version(&word.text, kind);
        found.push(started(kind, name, version, word, &args, env));
    }
}

fn bin(word: &Word, args: &[Word], name: String, env: Env, found: &mut Vec<Started>) {
    found.push(started(LaunchKind::Bin, name, None, word, args, env));
}

fn started(kind: LaunchKind, name: String, version: Option<Version>, word: &Word, args: &[Word], env: Env) -> Started {
    Started { kind, name, version, word: word.clone(), args: args.to_vec(), env }
}

/// A line that came as one word after `cmd /c`.
fn resplit(words: Vec<Word>) -> Vec<Word> {
    match words.as_slice() {
        [only] if only.text.contains(' ') && !only.text.contains('\\') => split_line(&only.text, &only.span),
        _ => words,
    }
}

/// The file name of a program without its folder and `.exe`, `.cmd`, …
fn program_name(text: &str) -> String {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let lower = name.to_lowercase();
    let ending = [".exe", ".cmd", ".bat", ".ps1"].iter().find(|ending| lower.ends_with(**ending));
    ending.map_or(name, |ending| &name[..name.len() - ending.len()]).to_owned()
}

/// The package that a path below `node_modules` belongs to.
fn module_package(path: &str) -> Option<(String, Option<Version>)> {
    let path = path.replace('\\', "/");
    let (_, below) = path.rsplit_once("node_modules/")?;
    let mut parts = below.split('/');
    let first = parts.next().filter(|part| !part.is_empty() && *part != ".bin")?;
    let name = if first.starts_with('@') { format!("{first}/{}", parts.next()?) } else { first.to_owned() };
    Some((name, None))
}

/// Name and pinned version of a package as its launcher reads it.
fn split_version(text: &str, kind: LaunchKind) -> (String, Option<Version>) {
    let (name, version) = match kind {
        LaunchKind::Pypi | LaunchKind::PythonModule => {
            let at = text.find("==").or_else(|| text.find('@'));
            match at {
                Some(at) => (&text[..at], Some(text[at..].trim_start_matches(['=', '@']))),
                None => (text.split(['>', '<', '~', '!']).next().unwrap_or(text), None),
            }
        }
        _ => match text.char_indices().skip(1).find(|(_, c)| *c == '@') {
            Some((at, _)) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        },
    };
    let name = name.split('[').next().unwrap_or(name).trim();
    let name = if kind == LaunchKind::Pypi { name.to_lowercase().replace('_', "-") } else { name.to_owned() };
    (name, version.and_then(exact))
}

/// Image and tag.
fn split_tag(text: &str) -> (String, Option<Version>) {
    let text = text.split('@').next().unwrap_or(text);
    match text.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name.to_owned(), exact(tag)),
        _ => (text.to_owned(), None),
    }
}

/// An exact version, padded to three numbers; ranges and tags such as `latest` are none.
fn exact(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let (numbers, rest) = match text.find(['-', '+']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    // `1` and `1.*` leave the rest open: the newest of them is meant.
    if numbers.split('.').count() < 2 {
        return None;
    }
    let parts: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
    let parts = parts.filter(|parts| parts.len() <= 4)?;
    let part = |at: usize| parts.get(at).copied().unwrap_or(0);
    Version::parse(&format!("{}.{}.{}{rest}", part(0), part(1), part(2))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(line: &str) -> (LaunchKind, String, Option<String>, String) {
        let words = split_line(line, &(0..0));
        let found = unwrap(&words);
        let started = found.first().unwrap_or_else(|| panic!("{line}"));
        let args: Vec<&str> = started.args.iter().map(|word| word.text.as_str()).collect();
        let version = started.version.as_ref().map(ToString::to_string);
        (started.kind, started.name.clone(), version, args.join(" "))
    }

    #[test]
    fn launchers_come_off() {
        let npm = |name: &str, version: Option<&str>, args: &str| {
            (LaunchKind::Npm, name.to_owned(), version.map(str::to_owned), args.to_owned())
        };
        for line in [
            "npx -y @scope/pkg@1.2.3 dir",
            "npx --yes @scope/pkg@1.2.3 dir",
            "npx.cmd -y @scope/pkg@1.2.3 dir",
            "bunx @scope/pkg@1.2.3 dir",
            "pnpm dlx @scope/pkg@1.2.3 dir",
            "npm exec -- @scope/pkg@1.2.3 dir",
            "cmd /c npx -y @scope/pkg@1.2.3 dir",
            "sh -c 'npx -y @scope/pkg@1.2.3 dir'",
            "bash -lc 'X=1 npx -y @scope/pkg@1.2.3 dir'",
            "mise exec -- npx -y @scope/pkg@1.2.3 dir",
            "env A=b npx -y @scope/pkg@1.2.3 dir",
            "wsl npx -y @scope/pkg@1.2.3 dir",
            "npx --package=@scope/pkg@1.2.3 pkg dir",
            "npx -y -p @scope/pkg@1.2.3 pkg dir",
        ] {
            assert_eq!(first(line), npm("@scope/pkg", Some("1.2.3"), "dir"), "{line}");
        }
        assert_eq!(first("npx pkg@latest"), npm("pkg", None, ""));
        assert_eq!(first("npx pkg@^1.2.0"), npm("pkg", None, ""));
        assert_eq!(first("node /usr/lib/node_modules/@scope/pkg/dist/index.js dir"), npm("@scope/pkg", None, "dir"));
    }

    #[test]
    fn other_worlds() {
        let owned = |kind, name: &str, version: Option<&str>, args: &str| {
            (kind, name.to_owned(), version.map(str::to_owned), args.to_owned())
        };
        assert_eq!(first("uvx mcp-guide==1.1.0 x"), owned(LaunchKind::Pypi, "mcp-guide", Some("1.1.0"), "x"));
        assert_eq!(first("uvx --from semgrep semgrep mcp"), owned(LaunchKind::Pypi, "semgrep", None, "mcp"));
        assert_eq!(first("python -m netcoredbg_mcp"), owned(LaunchKind::PythonModule, "netcoredbg_mcp", None, ""));
        assert_eq!(
            first("uv run python -m netcoredbg_mcp"),
            owned(LaunchKind::PythonModule, "netcoredbg_mcp", None, "")
        );
        assert_eq!(
            first("dnx Community.Mcp.DotNet@1.* --yes"),
            owned(LaunchKind::Nuget, "Community.Mcp.DotNet", None, "")
        );
        assert_eq!(
            first("docker run -i --rm -v a:b -e X=1 mcp/filesystem:1.0.2 /data"),
            owned(LaunchKind::Docker, "mcp/filesystem", Some("1.0.2"), "/data")
        );
        assert_eq!(first("C:/bin/gopls.exe mcp"), owned(LaunchKind::Bin, "gopls", None, "mcp"));
        assert_eq!(first("fvm dart mcp-server"), owned(LaunchKind::Bin, "dart", None, "mcp-server"));
    }
}
