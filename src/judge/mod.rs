//! From usages to findings: rule, status at the target, severity, words, suppressions. No syntax is known here.

pub mod suppress;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::finding::{Finding, Related};
use crate::knowledge::Knowledge;
use crate::knowledge::protocol::{Construct, Role, Status};
use crate::knowledge::rule::{Advice, Form, Rule, Severity};
use crate::knowledge::sdk;
use crate::knowledge::server::Effect;
use crate::project::source::Source;
use crate::report::paths;
use crate::usage::{Confidence, ConfigUse, Mitigation, Remark, Usage, What};

/// What to judge by, and what to leave out.
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// The revision.
    pub target: String,
    /// Only these rules; empty means all.
    pub select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
    /// Not below this confidence.
    pub min_confidence: Confidence,
    /// Leave test code out.
    pub exclude_tests: bool,
}

/// Judges all usages of a run. `commented` are the files that may hold suppression comments.
#[must_use]
pub fn judge(
    knowledge: &Knowledge,
    options: &JudgeOptions,
    usages: Vec<Usage>,
    commented: &[suppress::Commented],
) -> Vec<Finding> {
    let mut findings: Vec<Finding> =
        usages.into_iter().filter_map(|usage| finding(knowledge, options, usage)).collect();
    let every_rule_ran = options.select.is_empty() && options.ignore.is_empty();
    let about_comments = apply_suppressions(knowledge, options, &mut findings, commented, every_rule_ran);
    findings.extend(about_comments);
    findings.retain(|finding| {
        let selected = options.select.is_empty() || options.select.contains(&finding.rule);
        selected
            && !options.ignore.contains(&finding.rule)
            && finding.confidence >= options.min_confidence
            && !(options.exclude_tests && finding.in_test)
    });
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.span.start.offset, finding.rule.clone(), finding.span.end.offset);
        a.source.path().cmp(b.source.path()).then_with(|| key(a).cmp(&key(b)))
    });
    fingerprint(&mut findings);
    findings
}

fn finding(knowledge: &Knowledge, options: &JudgeOptions, usage: Usage) -> Option<Finding> {
    match usage.what {
        What::Construct(construct, form) => construct_finding(knowledge, options, usage, construct, form),
        What::Config(config) => config_finding(knowledge, options, usage, config),
        What::Advice(advice) => {
            let rule = knowledge.rule_for_advice(advice)?;
            let message = rule.headline.as_deref().unwrap_or_default().replace("{item}", &usage.item);
            let severity = rule.level.unwrap_or(Severity::Warning);
            Some(build(knowledge, rule, usage, None, severity, message, Vec::new()))
        }
    }
}

fn construct_finding(
    knowledge: &Knowledge,
    options: &JudgeOptions,
    usage: Usage,
    construct: Construct,
    form: Form,
) -> Option<Finding> {
    let protocol = &knowledge.protocol;
    let rule = knowledge.rule_for(construct, form)?;
    let (status, since) = protocol.status(construct, &options.target);
    let mut severity = match status {
        Status::Removed | Status::Refused => Severity::Error,
        Status::Deprecated | Status::Unavailable => Severity::Warning,
        Status::Active => Severity::Note,
    };
    let fate = match status {
        Status::Removed => format!("removed in {since}"),
        Status::Refused => format!("refused since {since}"),
        Status::Deprecated => format!("deprecated since {since}"),
        Status::Active => format!("active in {}", options.target),
        Status::Unavailable => format!("not available in {}", options.target),
    };
    let message = format!("`{}` {}: {fate}", usage.item, protocol.construct(construct).does);

    let mut notes = Vec::new();
    if status == Status::Deprecated {
        notes.push(protocol.earliest_removal.clone());
    }
    if let Some(mitigation) = usage.mitigations.first().filter(|_| severity > Severity::Note) {
        severity = severity.lowered();
        notes.push(mitigation_text(*mitigation));
    }
    notes.extend(behaviour(knowledge, &usage, construct));
    notes.extend(usage.remarks.iter().map(|remark| remark_text(*remark, &usage)));
    Some(build(knowledge, rule, usage, Some((construct, status)), severity, message, notes))
}

fn config_finding(knowledge: &Knowledge, options: &JudgeOptions, usage: Usage, config: ConfigUse) -> Option<Finding> {
    let rule = knowledge.rule_for_config(config.kind())?;
    let construct = config.construct();
    let (status, _) = knowledge.protocol.status(construct, &options.target);
    let (level, headline) = match config {
        ConfigUse::Server { effect, replaceable } => {
            let level = match effect {
                Effect::Fails if replaceable => Severity::Error,
                Effect::Fails | Effect::Widens | Effect::Narrows | Effect::MovesData => Severity::Warning,
                Effect::FallsBack | Effect::Ignored => Severity::Note,
            };
            (level, rule.headlines.get(&effect))
        }
        _ => (rule.level.unwrap_or(Severity::Warning), rule.headline.as_ref()),
    };
    let message = headline
        .map(String::as_str)
        .unwrap_or_default()
        .replace("{item}", &usage.item)
        .replace("{detail}", usage.detail.as_deref().unwrap_or_default());
    let mut notes = Vec::new();
    let mut severity = if status == Status::Active { Severity::Note } else { level };
    if let Some(mitigation) = usage.mitigations.first() {
        severity = Severity::Note;
        notes.push(mitigation_text(*mitigation));
    }
    // Where no roots come, nothing changes; only what never worked is still worth a word.
    let fails = matches!(config, ConfigUse::Server { effect: Effect::Fails, .. });
    if usage.remarks.contains(&Remark::HostSendsNone) && !fails {
        severity = Severity::Note;
    }
    if status == Status::Deprecated {
        notes.push(knowledge.protocol.earliest_removal.clone());
    }
    notes.extend(usage.remarks.iter().map(|remark| remark_text(*remark, &usage)));
    Some(build(knowledge, rule, usage, Some((construct, status)), severity, message, notes))
}

fn mitigation_text(mitigation: Mitigation) -> String {
    let text = match mitigation {
        Mitigation::OnlyRefused => "lowered one level: this code only refuses it",
        Mitigation::LegacyPath => {
            "lowered one level: the crate builds the input-request form too, so this is its legacy path"
        }
        Mitigation::Disabled => "lowered to a note: it is switched off",
        Mitigation::AmbiguousLaunch => "lowered to a note: another program has the same name",
    };
    text.to_owned()
}

/// What the SDK's version does at run time.
fn behaviour(knowledge: &Knowledge, usage: &Usage, construct: Construct) -> Option<String> {
    let used = usage.sdk.as_ref()?;
    let version = used.version.as_ref()?;
    let known = knowledge.rust_sdks.iter().find(|known| known.name == used.name)?;
    let fits = |one: &&sdk::Behaviour| one.constructs.contains(&construct) && sdk::matches(&one.versions, version);
    known.behaviours.iter().find(fits).map(|one| one.note.clone())
}

fn remark_text(remark: Remark, usage: &Usage) -> String {
    match remark {
        Remark::RustcSilenced => "rustc is silenced here by `allow(deprecated)` or `expect(deprecated)`".to_owned(),
        Remark::RustcSilent => {
            let sdk = usage.sdk.as_ref().map_or("the SDK", |sdk| sdk.name.as_str());
            format!("rustc does not warn here: {sdk} does not mark this item deprecated in the version in use")
        }
        Remark::HandWrittenDispatch => {
            "the input-request form arrives inside an `InputRequiredResult` and never reaches this dispatch".to_owned()
        }
        Remark::HostSendsRoots => {
            format!("{} sends roots to its servers", usage.host.as_deref().unwrap_or("this host"))
        }
        Remark::HostSendsNone => {
            format!("{} sends no roots: this is so today already", usage.host.as_deref().unwrap_or("this host"))
        }
        Remark::TokensOnly => "this was found in the tokens of the file: its syntax tree is not to be had".to_owned(),
    }
}

fn build(
    knowledge: &Knowledge,
    rule: &Rule,
    usage: Usage,
    verdict: Option<(Construct, Status)>,
    severity: Severity,
    message: String,
    mut notes: Vec<String>,
) -> Finding {
    let fits = |help: &&crate::knowledge::rule::Help| {
        let role = help.role.is_none_or(|role| role == usage.role || usage.role == Role::Gateway);
        let construct =
            help.constructs.is_empty() || verdict.is_some_and(|(construct, _)| help.constructs.contains(&construct));
        role && construct
    };
    let label = match (usage.what, verdict) {
        (What::Config(ConfigUse::Server { .. }), _) => "asks for roots",
        (What::Config(ConfigUse::Override), _) => "replaced by roots",
        (What::Config(_), _) | (_, None) => "",
        (_, Some((_, status))) => status.name(),
    };
    // Help for this very place stands in for advice that is written for Rust code.
    let own_help = matches!(usage.what, What::Advice(_)) && !usage.help.is_empty();
    let help = usage
        .help
        .iter()
        .chain(rule.helps.iter().filter(|help| !own_help && fits(help)).map(|help| &help.text))
        .cloned()
        .collect();
    notes.extend(rule.notes.iter().cloned());
    let related = usage
        .related
        .into_iter()
        .map(|related| Related {
            span: related.source.span(related.span.clone()),
            source: related.source,
            range: related.span,
            message: related.message,
        })
        .collect();
    Finding {
        rule: rule.name.clone(),
        construct: verdict.map(|(construct, _)| construct.name()),
        status: verdict.map(|(_, status)| status),
        severity,
        confidence: usage.confidence,
        role: usage.role,
        span: usage.source.span(usage.span.clone()),
        source: usage.source,
        range: usage.span,
        message,
        help,
        notes,
        url: knowledge.protocol.url.clone(),
        sdk: usage.sdk,
        in_test: usage.in_test,
        related,
        label,
        suppressed: None,
        fingerprint: String::new(),
    }
}

/// Marks what comments suppress; gives the findings about the comments themselves.
fn apply_suppressions(
    knowledge: &Knowledge,
    options: &JudgeOptions,
    findings: &mut [Finding],
    commented: &[suppress::Commented],
    every_rule_ran: bool,
) -> Vec<Finding> {
    let mut by_line: HashMap<PathBuf, BTreeMap<usize, Vec<usize>>> = HashMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let lines = by_line.entry(finding.source.path().to_owned()).or_default();
        lines.entry(finding.span.start.line as usize - 1).or_default().push(index);
    }
    let none = BTreeMap::new();
    let mut about = Vec::new();
    for file in commented {
        let source = &file.source;
        let (suppressions, invalid) = suppress::read(knowledge, file);
        let lines = by_line.get(source.path()).unwrap_or(&none);
        for suppression in suppressions {
            let mut unused: BTreeSet<&str> = suppression.rules.iter().map(String::as_str).collect();
            let covered = match suppression.line {
                Some(line) => lines.range(line..=line),
                None => lines.range(..),
            };
            for index in covered.flat_map(|(_, here)| here) {
                let finding = &mut findings[*index];
                if suppression.rules.contains(&finding.rule) {
                    unused.remove(finding.rule.as_str());
                    finding.suppressed.get_or_insert_with(|| suppression.reason.clone());
                }
            }
            if every_rule_ran && !unused.is_empty() {
                let names = unused.into_iter().collect::<Vec<_>>().join(", ");
                about.extend(comment_finding(
                    knowledge,
                    options,
                    source,
                    suppression.span,
                    Advice::UnusedSuppression,
                    &names,
                ));
            }
        }
        for invalid in invalid {
            let advice = Advice::InvalidSuppression;
            about.extend(comment_finding(knowledge, options, source, invalid.span, advice, &invalid.problem));
        }
    }
    about
}

fn comment_finding(
    knowledge: &Knowledge,
    options: &JudgeOptions,
    source: &Arc<Source>,
    span: std::ops::Range<usize>,
    advice: Advice,
    item: &str,
) -> Option<Finding> {
    let usage = Usage {
        what: What::Advice(advice),
        source: Arc::clone(source),
        span,
        item: item.to_owned(),
        role: Role::Unknown,
        confidence: Confidence::Certain,
        sdk: None,
        in_test: false,
        mitigations: Vec::new(),
        remarks: Vec::new(),
        related: Vec::new(),
        host: None,
        detail: None,
        help: Vec::new(),
    };
    finding(knowledge, options, usage)
}

/// Names each finding by what it says and where it stands in its file, not by its line number: the first 16
/// hexadecimal digits of SHA-256 over rule, path, trimmed line and occurrence, joined by NUL.
fn fingerprint(findings: &mut [Finding]) {
    // A line can be as long as its file and hold thousands of findings: it is hashed once for each rule.
    let mut lines: HashMap<(String, PathBuf, u32), Sha256> = HashMap::new();
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    for finding in findings {
        let (path, line) = (finding.source.path(), finding.span.start.line);
        let of_line = lines.entry((finding.rule.clone(), path.to_owned(), line)).or_insert_with(|| {
            let text = finding.source.display_line(line as usize - 1).trim();
            Sha256::new_with_prefix(format!("{}\0{}\0{text}\0", finding.rule, paths::display(path)))
        });
        let occurrence = seen.entry(of_line.clone().finalize().to_vec()).or_insert(0);
        let digest = of_line.clone().chain_update(occurrence.to_string()).finalize();
        *occurrence += 1;
        finding.fingerprint = digest.iter().take(8).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
    }
}
