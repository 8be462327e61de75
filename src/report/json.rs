//! JSON, `schema_version` 1; the schema is `rules/report.schema.json`.

use std::io::{self, Write};

use serde::Serialize;

use super::{View, paths, safe};
use crate::finding::Finding;
use crate::knowledge::protocol::{Role, Status};
use crate::knowledge::rule::Severity;
use crate::project::source::Span;
use crate::usage::Confidence;

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    tool: Tool,
    target: &'a str,
    findings: Vec<JsonFinding<'a>>,
    skipped: Vec<JsonSkip<'a>>,
    degraded: Vec<JsonDegraded<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'a str,
    construct: Option<&'static str>,
    status: Option<Status>,
    severity: Severity,
    confidence: Confidence,
    role: Role,
    /// What the code does with a root's value; not analysed yet.
    use_class: Option<&'static str>,
    path: String,
    span: Span,
    message: &'a str,
    help: &'a [String],
    notes: &'a [String],
    url: &'a str,
    sdk: Option<JsonSdk<'a>>,
    in_test: bool,
    related: Vec<JsonRelated<'a>>,
    suppressed: Option<JsonSuppressed<'a>>,
    /// An edit that would mend it; not made yet.
    fix: Option<()>,
    fingerprint: &'a str,
}

#[derive(Serialize)]
struct JsonSdk<'a> {
    name: &'a str,
    version: Option<String>,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    path: String,
    span: Span,
    message: &'a str,
}

#[derive(Serialize)]
struct JsonSuppressed<'a> {
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonSkip<'a> {
    path: String,
    reason: &'static str,
    detail: &'a str,
    incomplete: bool,
}

#[derive(Serialize)]
struct JsonDegraded<'a> {
    path: String,
    reason: &'static str,
    detail: &'a str,
}

#[derive(Serialize)]
struct Summary {
    files_checked: usize,
    files_skipped: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    suppressed: usize,
}

/// Writes one object: findings (suppressed ones included, notes with `--pedantic`), skips, summary.
///
/// # Errors
/// When `out` does.
pub fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let outcome = view.outcome;
    let listed = |finding: &&Finding| view.pedantic || finding.severity > Severity::Note;
    let report = Report {
        schema_version: 1,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        target: &outcome.target,
        findings: outcome.findings.iter().filter(listed).map(json_finding).collect(),
        skipped: outcome
            .skipped
            .iter()
            .map(|skip| JsonSkip {
                path: paths::display(&skip.path),
                reason: skip.reason.name(),
                detail: &skip.detail,
                incomplete: skip.reason.is_incomplete(),
            })
            .collect(),
        degraded: outcome
            .degraded
            .iter()
            .map(|degraded| JsonDegraded {
                path: paths::display(&degraded.path),
                reason: degraded.reason.name(),
                detail: &degraded.detail,
            })
            .collect(),
        summary: Summary {
            files_checked: outcome.files_checked,
            files_skipped: outcome.skipped.len(),
            errors: outcome.count(Severity::Error),
            warnings: outcome.count(Severity::Warning),
            notes: outcome.count(Severity::Note),
            suppressed: outcome.findings.iter().filter(|finding| finding.suppressed.is_some()).count(),
        },
    };
    safe::json(&report, out)
}

fn json_finding(finding: &Finding) -> JsonFinding<'_> {
    JsonFinding {
        rule: &finding.rule,
        construct: finding.construct,
        status: finding.status,
        severity: finding.severity,
        confidence: finding.confidence,
        role: finding.role,
        use_class: None,
        path: paths::display(finding.source.path()),
        span: finding.span,
        message: &finding.message,
        help: &finding.help,
        notes: &finding.notes,
        url: &finding.url,
        sdk: finding
            .sdk
            .as_ref()
            .map(|sdk| JsonSdk { name: &sdk.name, version: sdk.version.as_ref().map(ToString::to_string) }),
        in_test: finding.in_test,
        related: finding
            .related
            .iter()
            .map(|related| JsonRelated {
                path: paths::display(related.source.path()),
                span: related.span,
                message: &related.message,
            })
            .collect(),
        suppressed: finding.suppressed.as_deref().map(|reason| JsonSuppressed { reason }),
        fix: None,
        fingerprint: &finding.fingerprint,
    }
}
