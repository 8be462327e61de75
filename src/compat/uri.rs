//! Root URIs and the resource URIs of the migrated form, as text: no file system here.
//!
//! A root URI is read more strictly than by the `url` crate, which quietly changes what it reads: it folds `a/../b`, drops
//! `?x` and `#x`, tabs and trailing spaces, takes `\` for `/` and `file:rel` for `/rel`. Each of these is refused with its
//! own message; whatever is accepted means the same path to both (a property test holds them together).
//!
//! Decided here, since RFC 8089 and the MCP specification (client/roots: "MUST be a `file://` URI") leave it open:
//! - `..` is refused, plain or encoded: text and file system disagree on it once a symbolic link is on the way.
//! - `%2F` is refused: it is no separator in a URI and no character of a name in a path.
//! - A `%` without two hexadecimal digits is taken as it is (`file:///tmp/100%` is `/tmp/100%`), as the URL standard,
//!   `url` and Python do; Node.js refuses it. SDKs encode `%`, so only hand-written text has it, and there it is meant.
//! - `%FF` and the like give a path that is not UTF-8 where the platform has such paths.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use thiserror::Error;
use url::Url;

/// The longest URI that is read, in bytes. Paths end at 4 KiB on Linux, and at 32 Ki characters on Windows.
pub const MAX_URI_BYTES: usize = 64 * 1024;

/// Why a text is no URI of a root.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum UriError {
    /// Longer than [`MAX_URI_BYTES`].
    #[error("a URI of {0} bytes: at most {MAX_URI_BYTES} are read")]
    TooLong(usize),
    /// Text without a scheme, such as a plain path.
    #[error("not a URI: send `file://` and the absolute path, e.g. `file:///home/me/project`")]
    NoScheme,
    /// Another scheme than `file`.
    #[error("not a file: URI (scheme `{0}`): send the `file://` URI of a directory on this machine")]
    Scheme(String),
    /// `file:` without `//`.
    #[error("`file:` without `//`: send `file://` and the absolute path, e.g. `file:///home/me/project`")]
    NoSlashes,
    /// A character that has to be encoded, and that readers of URIs change or drop.
    #[error("the character {0:?} is not allowed in a URI: send `%{code:02X}` if it is part of a name, `/` between names", code = u32::from(*.0))]
    Character(char),
    /// `?…`
    #[error("a file URI with a query (`?`): leave it out, or send `%3F` if it is part of a name")]
    Query,
    /// `#…`
    #[error("a file URI with a fragment (`#`): leave it out, or send `%23` if it is part of a name")]
    Fragment,
    /// Neither empty nor `localhost`.
    #[error("a file URI of another host (`{0}`): send `file:///` and the absolute path, with three slashes")]
    Host(String),
    /// `file://` and nothing after it.
    #[error("a file URI without a path: send the absolute path after `file://`, e.g. `file:///home/me/project`")]
    NoPath,
    /// No drive letter, on Windows. Paths that begin with two slashes (shares of other machines) are among them.
    #[error("a file URI without a drive: send `file:///C:/` and the path; shares of other machines are not served")]
    NoDrive,
    /// One of its names is none.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Why the text between two slashes of a URI is no name of a file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// `..`, plain or encoded.
    #[error("`..` in a URI: send the path without it")]
    Parent,
    /// `%2F`, and on Windows also `%5C`.
    #[error("an encoded separator (`%2F`, `%5C`) in a URI: names cannot hold it; send `/` between names")]
    Separator,
    /// `%00`
    #[error("a NUL (`%00`) in a URI: no path has one")]
    Nul,
    /// Bytes that the platform's paths cannot hold.
    #[error("not UTF-8 after decoding: send the name in UTF-8, percent-encoded")]
    NotUtf8,
    /// `file.txt:stream`, on Windows.
    #[error("`:` in the name `{0}`: streams of files are not served")]
    Stream(String),
    /// `NUL`, `COM1.txt`, on Windows.
    #[error("`{0}` is the name of a device, not of a directory")]
    Device(String),
    /// `name.` and `name `, on Windows, where another file is opened by them.
    #[error("the name `{0}` ends in a dot or space, which Windows drops: send the name without it")]
    Ending(String),
}

/// The absolute path that a root's URI names. Nothing is looked up: it need not exist.
///
/// # Errors
///
/// Says what is wrong with the text and what to send instead.
pub fn path_of(uri: &str) -> Result<PathBuf, UriError> {
    if uri.len() > MAX_URI_BYTES {
        return Err(UriError::TooLong(uri.len()));
    }
    native_path(names(path_text(after_scheme(uri)?)?)?)
}

/// The file URI of an absolute path, percent-encoded byte by byte. A path that is not absolute has none: empty text.
#[must_use]
pub fn uri_of(path: &Path) -> String {
    Url::from_file_path(path).map(String::from).unwrap_or_default()
}

/// What follows `file://`.
fn after_scheme(uri: &str) -> Result<&str, UriError> {
    let (scheme, rest) = uri.split_once(':').filter(|(scheme, _)| is_scheme(scheme)).ok_or(UriError::NoScheme)?;
    if !scheme.eq_ignore_ascii_case("file") {
        return Err(UriError::Scheme(cut(scheme)));
    }
    rest.strip_prefix("//").ok_or(UriError::NoSlashes)
}

/// RFC 3986, section 3.1; a single letter is the drive of a Windows path instead.
fn is_scheme(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// The path, still encoded, of what follows `file://`.
fn path_text(rest: &str) -> Result<&str, UriError> {
    let last_space = rest.chars().next_back().filter(|c| *c == ' ');
    if let Some(c) = rest.chars().find(|c| c.is_ascii_control() || *c == '\\').or(last_space) {
        return Err(UriError::Character(c));
    }
    match rest.chars().find(|c| matches!(c, '?' | '#')) {
        Some('?') => return Err(UriError::Query),
        Some(_) => return Err(UriError::Fragment),
        None => {}
    }
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Err(UriError::Host(cut(host)));
    }
    if path.is_empty() { Err(UriError::NoPath) } else { Ok(path) }
}

/// The decoded names between the slashes; empty ones and `.` mean nothing and are left out.
fn names(path: &str) -> Result<Vec<Vec<u8>>, NameError> {
    path.split('/').map(name).filter(|name| !matches!(name.as_deref(), Ok(b"" | b"."))).collect()
}

fn name(encoded: &str) -> Result<Vec<u8>, NameError> {
    let name: Vec<u8> = percent_decode_str(encoded).collect();
    if name == b".." {
        Err(NameError::Parent)
    } else if name.contains(&b'/') {
        Err(NameError::Separator)
    } else if name.contains(&0) {
        Err(NameError::Nul)
    } else {
        Ok(name)
    }
}

/// Enough of a text that may be long to recognize it by.
fn cut(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN { text.to_owned() } else { text.chars().take(SHOWN).chain(['…']).collect() }
}

#[cfg(not(windows))]
fn native_name(name: Vec<u8>) -> Result<OsString, NameError> {
    use std::os::unix::ffi::OsStringExt as _;
    Ok(OsString::from_vec(name))
}

#[cfg(not(windows))]
fn native_path(names: Vec<Vec<u8>>) -> Result<PathBuf, UriError> {
    let mut path = PathBuf::from("/");
    for name in names {
        path.push(native_name(name)?);
    }
    Ok(path)
}

#[cfg(windows)]
fn native_name(name: Vec<u8>) -> Result<OsString, NameError> {
    windows::name(name).map(OsString::from)
}

#[cfg(windows)]
fn native_path(names: Vec<Vec<u8>>) -> Result<PathBuf, UriError> {
    windows::path(names).map(PathBuf::from)
}

/// The rules of Windows as rules of text, so that they are tested on every platform.
#[cfg(any(windows, test))]
pub(super) mod windows {
    use super::{NameError, UriError, cut};

    /// `C:\` and the names after it.
    pub(super) fn path(names: Vec<Vec<u8>>) -> Result<String, UriError> {
        let mut names = names.into_iter();
        let drive = names.next().filter(|name| matches!(name[..], [letter, b':'] if letter.is_ascii_alphabetic()));
        let drive = drive.and_then(|drive| String::from_utf8(drive).ok()).ok_or(UriError::NoDrive)?;
        let names = names.map(name).collect::<Result<Vec<String>, NameError>>()?;
        Ok(format!(r"{drive}\{}", names.join(r"\")))
    }

    /// A name that means the file of that name and nothing else.
    pub(super) fn name(name: Vec<u8>) -> Result<String, NameError> {
        let name = String::from_utf8(name).map_err(|_| NameError::NotUtf8)?;
        check(&name)?;
        Ok(name)
    }

    /// See <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>.
    pub(in super::super) fn check(name: &str) -> Result<(), NameError> {
        if name.contains('\\') {
            Err(NameError::Separator)
        } else if name.contains(':') {
            Err(NameError::Stream(cut(name)))
        } else if is_device(name) {
            Err(NameError::Device(cut(name)))
        } else if name.ends_with(['.', ' ']) {
            Err(NameError::Ending(cut(name)))
        } else {
            Ok(())
        }
    }

    /// Extensions and spaces before them do not count: `nul .txt` is the device, too.
    fn is_device(name: &str) -> bool {
        let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_uppercase();
        let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
        matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
            || port.is_some_and(|port| matches!(port, "¹" | "²" | "³") || matches!(port.as_bytes(), [b'1'..=b'9']))
    }
}

/// The resource URIs of the migrated form (RFC 6570): a directory by its name, and a path in it.
pub const STATS_TEMPLATE: &str = "project-stats://lines/{directory}{/path*}";

const STATS_PREFIX: &str = "project-stats://lines/";

/// What RFC 6570 encodes in `{directory}` and `{/path*}`: all but the unreserved characters.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A resource URI, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatsUri {
    /// The name of an allowed directory: its last component.
    pub directory: OsString,
    /// Relative to it, without `.` and `..`; empty for the directory itself.
    pub path: PathBuf,
}

/// Why a text is no resource URI of [`STATS_TEMPLATE`].
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatsUriError {
    /// Longer than [`MAX_URI_BYTES`].
    #[error("a URI of {0} bytes: at most {MAX_URI_BYTES} are read")]
    TooLong(usize),
    /// Another scheme or authority.
    #[error("not of the form `{STATS_TEMPLATE}`")]
    Form,
    /// `?…` or `#…`
    #[error("`?` or `#` in a URI of the form `{STATS_TEMPLATE}`: leave it out, or send `%3F` or `%23` in a name")]
    Extra,
    /// Nothing or `.` where the directory's name belongs.
    #[error("no directory in a URI of the form `{STATS_TEMPLATE}`: send the name of an allowed directory")]
    NoDirectory,
    /// One of its names is none.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// The resource URI of `path`, relative and possibly empty, in the allowed directory of that name.
///
/// [`parse_stats_uri`] reads it back; a path that is absolute or has `..` gives a URI which that function refuses.
#[must_use]
pub fn stats_uri(directory: &OsStr, path: &Path) -> String {
    let mut uri = STATS_PREFIX.to_owned();
    uri.extend(percent_encode(directory.as_encoded_bytes(), RESERVED));
    for component in path.components() {
        uri.push('/');
        uri.extend(percent_encode(component.as_os_str().as_encoded_bytes(), RESERVED));
    }
    uri
}

/// Reads a resource URI. Empty names after the directory's, such as by a `/` at the end, mean nothing.
///
/// # Errors
///
/// Says what is wrong with the text and what to send instead.
pub fn parse_stats_uri(uri: &str) -> Result<StatsUri, StatsUriError> {
    if uri.len() > MAX_URI_BYTES {
        return Err(StatsUriError::TooLong(uri.len()));
    }
    let (prefix, rest) = uri.split_at_checked(STATS_PREFIX.len()).ok_or(StatsUriError::Form)?;
    if !prefix.eq_ignore_ascii_case(STATS_PREFIX) {
        return Err(StatsUriError::Form);
    }
    if rest.contains(['?', '#']) {
        return Err(StatsUriError::Extra);
    }
    let (directory, path) = rest.split_once('/').unwrap_or((rest, ""));
    let directory = name(directory)?;
    if matches!(directory[..], [] | [b'.']) {
        return Err(StatsUriError::NoDirectory);
    }
    let path = names(path)?.into_iter().map(native_name).collect::<Result<PathBuf, NameError>>()?;
    Ok(StatsUri { directory: native_name(directory)?, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(uri: &str) -> UriError {
        path_of(uri).expect_err(uri)
    }

    #[test]
    #[cfg(unix)]
    fn accepted() {
        use std::os::unix::ffi::OsStrExt as _;
        for (uri, path) in [
            ("file:///", "/"),
            ("FILE:///tmp", "/tmp"),
            ("file://localhost/tmp", "/tmp"),
            ("file://LocalHost/tmp", "/tmp"),
            ("file:///tmp/", "/tmp"),
            ("file:////tmp//a/./b/%2E/", "/tmp/a/b"),
            ("file:///tmp/My%20Project/my project", "/tmp/My Project/my project"),
            ("file:///tmp/a%20", "/tmp/a "),
            ("file:///tmp/é%C3%A9", "/tmp/éé"),
            ("file:///tmp/100%", "/tmp/100%"),
            ("file:///tmp/%zz/%2", "/tmp/%zz/%2"),
            ("file:///tmp/100%25", "/tmp/100%"),
            ("file:///tmp/a%3Fb%23c%5Cd", "/tmp/a?b#c\\d"),
            ("file:///tmp/..foo/.../..%20", "/tmp/..foo/.../.. "),
            ("file:///tmp/a+b:c@d", "/tmp/a+b:c@d"),
            ("file:///C:/x", "/C:/x"),
            ("file:///c%3A/x", "/c:/x"),
        ] {
            assert_eq!(path_of(uri).as_deref(), Ok(Path::new(path)), "{uri}");
        }
        assert_eq!(path_of("file:///tmp/%FF"), Ok(PathBuf::from(OsStr::from_bytes(b"/tmp/\xff"))));
    }

    #[test]
    fn refused_before_the_path() {
        for uri in ["", "/tmp", "tmp", "./tmp", "C:\\proj", "C:/proj", "://", "1a:b", " file:///tmp", "ä:b"] {
            assert_eq!(refused(uri), UriError::NoScheme, "{uri}");
        }
        assert_eq!(refused("https://example.com/"), UriError::Scheme("https".into()));
        assert_eq!(refused("untitled:Untitled-1"), UriError::Scheme("untitled".into()));
        for uri in ["file:", "file:tmp/rel", "file:/tmp", "file:\\\\server\\share"] {
            assert_eq!(refused(uri), UriError::NoSlashes, "{uri}");
        }
        assert_eq!(refused("file://evil.example/etc"), UriError::Host("evil.example".into()));
        assert_eq!(refused("file://tmp"), UriError::Host("tmp".into()));
        assert_eq!(refused("file://~/project"), UriError::Host("~".into()));
        assert_eq!(refused("file://localhost:80/tmp"), UriError::Host("localhost:80".into()));
        assert_eq!(refused("file://me@localhost/tmp"), UriError::Host("me@localhost".into()));
        for uri in ["file://", "file://localhost"] {
            assert_eq!(refused(uri), UriError::NoPath, "{uri}");
        }
    }

    #[test]
    fn refused_in_the_path() {
        for uri in ["file:///a/../b", "file:///..", "file:///a/%2e%2E/b", "file:///a/.%2e"] {
            assert_eq!(refused(uri), NameError::Parent.into(), "{uri}");
        }
        for uri in ["file:///tmp/..%2Fetc", "file:///tmp/a%2fb", "file:///%2F"] {
            assert_eq!(refused(uri), NameError::Separator.into(), "{uri}");
        }
        assert_eq!(refused("file:///tmp/a%00b"), NameError::Nul.into());
        for uri in ["file:///tmp?x", "file://?x", "file:///a?b#c", "file://host?x"] {
            assert_eq!(refused(uri), UriError::Query, "{uri}");
        }
        assert_eq!(refused("file:///a#b?c"), UriError::Fragment);
        for (uri, c) in [
            ("file:///tmp\\a", '\\'),
            ("file://\\\\server\\share", '\\'),
            ("file:///tm\tp", '\t'),
            ("file:///tmp\n", '\n'),
            ("file:///t\0mp", '\0'),
            ("file:///tmp\u{7f}", '\u{7f}'),
            ("file:///tmp ", ' '),
        ] {
            assert_eq!(refused(uri), UriError::Character(c), "{uri}");
        }
    }

    #[test]
    fn length_is_bounded() {
        let longest = format!("file:///{}", "a".repeat(MAX_URI_BYTES - 8));
        assert!(cfg!(windows) || path_of(&longest).is_ok());
        assert_eq!(refused(&format!("{longest}a")), UriError::TooLong(MAX_URI_BYTES + 1));
        assert_eq!(parse_stats_uri(&longest), Err(StatsUriError::Form));
        assert_eq!(parse_stats_uri(&format!("{longest}a")), Err(StatsUriError::TooLong(MAX_URI_BYTES + 1)));
        let scheme = format!("{}://", "a".repeat(60_000));
        assert!(refused(&scheme).to_string().len() < 300);
    }

    #[test]
    fn errors_say_what_to_send() {
        assert_eq!(
            refused("https://x").to_string(),
            "not a file: URI (scheme `https`): send the `file://` URI of a directory on this machine"
        );
        assert_eq!(
            refused("file:///a\\b").to_string(),
            "the character '\\\\' is not allowed in a URI: send `%5C` if it is part of a name, `/` between names"
        );
        assert_eq!(refused("file:///a/../b").to_string(), "`..` in a URI: send the path without it");
    }

    /// `path_of` as it is on Windows.
    fn on_windows(uri: &str) -> Result<String, UriError> {
        windows::path(names(path_text(after_scheme(uri)?)?)?)
    }

    #[test]
    fn windows_drives() {
        for (uri, path) in [
            ("file:///C:/proj/a%20b", r"C:\proj\a b"),
            ("file:///c%3A/proj/", r"c:\proj"),
            ("file:///c:", r"c:\"),
            ("file://localhost/C:/..foo", r"C:\..foo"),
        ] {
            assert_eq!(on_windows(uri).as_deref(), Ok(path), "{uri}");
        }
        for uri in ["file:///", "file:///tmp", "file:////server/share", "file:///C|/x", "file:///CC:/x", "file:///é:/"]
        {
            assert_eq!(on_windows(uri), Err(UriError::NoDrive), "{uri}");
        }
        assert_eq!(on_windows("file://server/share"), Err(UriError::Host("server".into())));
    }

    #[test]
    fn windows_names() {
        for name in ["NUL", "nul.txt", "nul .txt", "Com1", "LPT9.tar.gz", "com²", "CONIN$", "aux", "con.d.e f"] {
            let read = on_windows(&format!("file:///C:/a/{name}/b"));
            assert_eq!(read, Err(NameError::Device(name.into()).into()));
        }
        for name in ["com", "COM0", "com10", "lpt", "null", "console", "a.nul", "auxiliary"] {
            assert_eq!(on_windows(&format!("file:///C:/{name}")), Ok(format!(r"C:\{name}")));
        }
        for name in ["file.txt:stream", "d:", "a::$DATA"] {
            assert_eq!(on_windows(&format!("file:///C:/{name}")), Err(NameError::Stream(name.into()).into()));
        }
        for name in ["...", "a.", "a%20", "..%20"] {
            let decoded = name.replace("%20", " ");
            assert_eq!(on_windows(&format!("file:///C:/{name}")), Err(NameError::Ending(decoded).into()));
        }
        assert_eq!(on_windows("file:///C:/a%5Cb"), Err(NameError::Separator.into()));
        assert_eq!(on_windows("file:///C:/%FF"), Err(NameError::NotUtf8.into()));
    }

    #[test]
    #[cfg(unix)]
    fn uris_of_paths() {
        assert_eq!(uri_of(Path::new("/")), "file:///");
        assert_eq!(uri_of(Path::new("/tmp/a b/100%/é?#\\/")), "file:///tmp/a%20b/100%25/%C3%A9%3F%23%5C");
        assert_eq!(uri_of(Path::new("tmp")), "");
    }

    #[test]
    fn resource_uris() {
        let uri = stats_uri(OsStr::new("my project"), Path::new("src/a&b/é"));
        assert_eq!(uri, "project-stats://lines/my%20project/src/a%26b/%C3%A9");
        let read =
            |uri: &str| parse_stats_uri(uri).map(|read| (read.directory.into_string().expect("UTF-8"), read.path));
        assert_eq!(read(&uri), Ok(("my project".into(), "src/a&b/é".into())));
        assert_eq!(stats_uri(OsStr::new("a"), Path::new("")), "project-stats://lines/a");
        for uri in ["project-stats://lines/a", "PROJECT-STATS://lines/a/", "project-stats://lines/a//.//"] {
            assert_eq!(read(uri), Ok(("a".into(), PathBuf::new())), "{uri}");
        }
        assert_eq!(read("project-stats://lines/..a/..."), Ok(("..a".into(), "...".into())));
    }

    #[test]
    fn resource_uris_refused() {
        for (uri, error) in [
            ("", StatsUriError::Form),
            ("file:///a", StatsUriError::Form),
            ("project-stats://lines", StatsUriError::Form),
            ("project-stats://words/a", StatsUriError::Form),
            ("project-stats://lineé/a", StatsUriError::Form),
            ("project-stats://lines/", StatsUriError::NoDirectory),
            ("project-stats://lines//a", StatsUriError::NoDirectory),
            ("project-stats://lines/./a", StatsUriError::NoDirectory),
            ("project-stats://lines/a?b", StatsUriError::Extra),
            ("project-stats://lines/a#b", StatsUriError::Extra),
            ("project-stats://lines/..", NameError::Parent.into()),
            ("project-stats://lines/a/%2e%2e/b", NameError::Parent.into()),
            ("project-stats://lines/a/..", NameError::Parent.into()),
            ("project-stats://lines/a/b%2Fc", NameError::Separator.into()),
            ("project-stats://lines/%2Fetc", NameError::Separator.into()),
            ("project-stats://lines/a/%00", NameError::Nul.into()),
            (&stats_uri(OsStr::new("a"), Path::new("../b")), NameError::Parent.into()),
            (&stats_uri(OsStr::new("a"), Path::new("/etc")), NameError::Separator.into()),
        ] {
            assert_eq!(parse_stats_uri(uri), Err(error), "{uri}");
        }
    }
}
