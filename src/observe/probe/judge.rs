//! What the runs show: one verdict, and the evidence for it in words. No verdict is given that the evidence does not
//! carry; `uses-roots` is what is left when a server asks and nothing that was called shows more.
//!
//! The rules, where *with* is the run with roots and *without* the run without the capability:
//!
//! - It **uses Roots** when it asked, or when what it offers or answers depends on the roots. A difference counts only
//!   if a second run without roots does not differ from the first in the same place.
//! - **Roots replace the configured directories**: a directory of the command's arguments was lost *with* (a call
//!   named it in its result, or worked on a path in it, only *without*), and a root was gained (the same the other way
//!   round). Directories that lie in a root, or a root in them, prove nothing.
//! - **Works only through Roots**: it cannot be run *without*, or offers no tool any more; or a call that names no path
//!   of a root failed *without*, or lost only the roots from its answer and got nothing in their place; and no call
//!   answered something else instead.
//! - **With a fallback**: what was called worked *without*, too, or the server took back what it cannot do and kept
//!   the rest.
//! - **Does not use Roots**: never asked, nothing differed, and everything that it offers was called and worked. Else
//!   it only **did not ask in what was exercised**.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::naming::{forms, names_below, names_directory, texts};
use super::verdict::{Effect, Finding, Verdict};
use super::{Answer, Called, Exercise, Offer, Part, Plan, Run};
use crate::observe::client::Moment;

/// Whether two runs differ in what they offer or answer.
pub(super) fn differ(one: &Run, other: &Run) -> bool {
    one.opened.is_ok() != other.opened.is_ok()
        || one.exercise.offer != other.exercise.offer
        || !answers_agree(&one.exercise, &other.exercise)
}

fn answers_agree(one: &Exercise, other: &Exercise) -> bool {
    let answers = |exercise: &Exercise| exercise.calls.iter().map(|call| call.answer.clone()).collect::<Vec<_>>();
    answers(one) == answers(other)
}

/// Compares the runs; the first two are `roots` and `none`.
pub(super) fn judge(plan: &Plan, runs: &[Run]) -> Finding {
    let run = |part: Part| runs.iter().find(|run| run.part == part);
    let (Some(with), Some(without)) = (run(Part::Roots), run(Part::None)) else {
        unreachable!("a probe makes these runs")
    };
    let judge = Judge { plan, with, without, empty: run(Part::Empty), again: run(Part::NoneAgain) };
    judge.finding()
}

struct Judge<'a> {
    plan: &'a Plan,
    with: &'a Run,
    without: &'a Run,
    empty: Option<&'a Run>,
    again: Option<&'a Run>,
}

impl Judge<'_> {
    fn finding(&self) -> Finding {
        let effects: Vec<Effect> = (0..self.plan.calls.len()).map(|at| self.effect(at)).collect();
        let (only_with, only_without) = self.offers();
        let called: BTreeSet<&str> = self.plan.calls.iter().map(|call| call.tool.as_str()).collect();
        let offered = self.with.exercise.offer.tools.iter().chain(&self.without.exercise.offer.tools);
        let not_called: BTreeSet<String> =
            offered.filter(|tool| !called.contains(tool.as_str())).map(|tool| (*tool).clone()).collect();
        let offer = &self.with.exercise.offer;
        let mut finding = Finding {
            verdict: Verdict::UsesRoots,
            evidence: Vec::new(),
            notes: Vec::new(),
            effects,
            not_called: not_called.into_iter().collect(),
            not_read: offer.resources.len() + offer.templates.len() + offer.prompts.len(),
            only_with,
            only_without,
        };
        finding.verdict = self.verdict(&mut finding);
        finding.notes.extend(self.notes(&finding));
        finding
    }

    fn verdict(&self, finding: &mut Finding) -> Verdict {
        let asked = self.asks() > 0;
        let cannot_run = self.cannot_run_without();
        let differs = !finding.only_with.is_empty() || !finding.only_without.is_empty();
        let depends = cannot_run.is_some() || differs || finding.effects.iter().any(|effect| effect.depends_on_roots());
        finding.evidence.push(self.asks_in_words());
        if !asked && !depends {
            return self.silent(finding);
        }
        let evidence = self.offers_in_words(finding).into_iter().chain(self.effects_in_words(finding));
        let evidence: Vec<String> = evidence.collect();
        finding.evidence.extend(evidence);
        if let Some(why) = cannot_run {
            finding.evidence.push(format!("without roots it cannot be run: {why}"));
            return Verdict::WorksOnlyThroughRoots;
        }
        if let Some(replaced) = self.replaced(finding) {
            finding.evidence.extend(replaced);
            return Verdict::RootsReplaceDirectories;
        }
        let has = |wanted: Effect| finding.effects.contains(&wanted);
        let no_tools = !self.with.exercise.offer.tools.is_empty() && self.without.exercise.offer.tools.is_empty();
        let proofs = finding.effects.iter().zip(&self.plan.calls).filter(|(effect, call)| match effect {
            Effect::Emptied => true,
            // That a root cannot be reached without roots does not mean that nothing can.
            Effect::FailsWithout => !self.names_root(&call.arguments.clone().into()),
            _ => false,
        });
        // With directories of its own it does not live on roots alone, whatever was called.
        if no_tools || (proofs.count() > 0 && !has(Effect::Differs) && self.plan.configured.is_empty()) {
            return Verdict::WorksOnlyThroughRoots;
        }
        let works = [Effect::Same, Effect::Varies, Effect::Differs, Effect::FailsWith].into_iter().any(has);
        let took_back = has(Effect::NotOffered) || (differs && !self.without.exercise.offer.tools.is_empty());
        if works || took_back {
            return Verdict::UsesRootsWithFallback;
        }
        finding.notes.push(match has(Effect::FailsWithout) || has(Effect::Emptied) {
            true => "what was called needs the roots themselves: call something that needs none to see whether the \
                     server has a fallback"
                .to_owned(),
            false => "nothing that was called shows what happens without roots: name calls with `--call`".to_owned(),
        });
        Verdict::UsesRoots
    }

    /// It neither asked nor depends on roots.
    fn silent(&self, finding: &mut Finding) -> Verdict {
        let failed = finding.effects.iter().filter(|effect| **effect != Effect::Same).count();
        let offer = &self.with.exercise.offer;
        let mut open = Vec::new();
        if !finding.not_called.is_empty() {
            open.push(format!(
                "{} of {} tools were not called: their silence proves nothing",
                finding.not_called.len(),
                offer.tools.len()
            ));
        }
        if failed > 0 {
            open.push(format!("calls that failed or varied, which proves nothing: {failed}"));
        }
        if finding.not_read > 0 {
            open.push(format!("resources, templates and prompts that were not read: {}", finding.not_read));
        }
        open.extend(offer.stopped.iter().map(|stopped| format!("not read to its end: {stopped}")));
        let given_up = [self.with, self.without].into_iter().filter_map(|run| run.given_up.as_ref());
        open.extend(given_up.map(|fault| format!("a run was given up: {fault}")));
        if open.is_empty() {
            finding
                .evidence
                .push("everything that it offers was called, and answered the same without roots".to_owned());
            return Verdict::DoesNotUseRoots;
        }
        finding.evidence.extend(open);
        Verdict::DidNotAsk
    }

    fn asks(&self) -> u64 {
        self.with.counts.asks + self.empty.map_or(0, |run| run.counts.asks)
    }

    fn asks_in_words(&self) -> String {
        match self.with.counts.asks {
            0 => "it did not ask for roots".to_owned(),
            asks => {
                let mut moments: BTreeMap<String, (usize, usize)> = BTreeMap::new();
                for (at, ask) in self.with.asks.iter().enumerate() {
                    moments.entry(ask.moment.to_string()).or_insert((at, 0)).1 += 1;
                }
                let mut moments: Vec<_> = moments.into_iter().collect();
                moments.sort_by_key(|(_, (first, _))| *first);
                let moments = moments.into_iter().map(|(moment, (_, count))| match count {
                    1 => moment,
                    count => format!("{moment} ({count} times)"),
                });
                let moments: Vec<String> = moments.collect();
                format!("it asked for roots {}: {}", plural(asks as usize, "time"), moments.join(", "))
            }
        }
    }

    /// Why it does not run without roots, seen twice.
    fn cannot_run_without(&self) -> Option<String> {
        let error = self.without.opened.as_ref().err()?;
        self.again.is_none_or(|again| again.opened.is_err()).then(|| error.to_string())
    }

    fn effect(&self, at: usize) -> Effect {
        let (Some(with), Some(without)) = (self.with.exercise.calls.get(at), self.without.exercise.calls.get(at))
        else {
            return Effect::NotMade;
        };
        let (with, without) = (&with.answer, &without.answer);
        // What the second run without roots says of the first.
        if let Some(again) = self.again.and_then(|again| again.exercise.calls.get(at)) {
            if again.answer.is_ok() != without.is_ok() {
                return Effect::Unsteady;
            }
            if with.is_ok() == without.is_ok() && with != without && again.answer != *without {
                return if with.is_ok() { Effect::Varies } else { Effect::FailsInBoth };
            }
        }
        let tool = &self.plan.calls[at].tool;
        let is_offered = |run: &Run| run.exercise.offer.tools.contains(tool);
        match (with, without) {
            (Answer::Result(with), Answer::Result(without)) => {
                if with == without {
                    Effect::Same
                } else if self.is_emptied(with, without) && !self.names_configured(without) {
                    Effect::Emptied
                } else {
                    Effect::Differs
                }
            }
            (Answer::Result(_), _) if is_offered(self.with) && !is_offered(self.without) => Effect::NotOffered,
            (Answer::Result(_), _) => Effect::FailsWithout,
            (_, Answer::Result(_)) => Effect::FailsWith,
            (with, without) if with == without => Effect::FailsInBoth,
            _ => Effect::FailsDifferently,
        }
    }

    /// Whether an answer is another one with the roots taken out.
    fn is_emptied(&self, with: &Value, without: &Value) -> bool {
        let letters = |value: &Value, take_out: bool| {
            let mut all = String::new();
            texts(value, &mut |text| {
                let mut text = text.to_owned();
                if take_out {
                    for form in self.plan.roots.iter().flat_map(|root| forms(root)) {
                        text = text.replace(&form, "");
                    }
                }
                all.extend(text.chars().filter(|c| c.is_alphanumeric()));
            });
            all
        };
        letters(with, true) == letters(without, false)
    }

    /// What is offered in one of the runs only. The lists of a run that was given up prove nothing.
    fn offers(&self) -> (Vec<String>, Vec<String>) {
        let runs = [Some(self.with), Some(self.without), self.again];
        let broken =
            |run: &Run| run.opened.is_err() || !run.exercise.offer.stopped.is_empty() || run.given_up.is_some();
        if runs.into_iter().flatten().any(broken) {
            return (Vec::new(), Vec::new());
        }
        let (with, without) = (names(&self.with.exercise.offer), names(&self.without.exercise.offer));
        // What comes and goes without roots has other causes.
        let steady: BTreeSet<String> = match self.again {
            Some(again) => names(&again.exercise.offer).symmetric_difference(&without).cloned().collect(),
            None => BTreeSet::new(),
        };
        let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            one.difference(other).filter(|name| !steady.contains(*name)).cloned().collect()
        };
        (only(&with, &without), only(&without, &with))
    }

    fn offers_in_words(&self, finding: &Finding) -> Vec<String> {
        let line = |names: &[String], when: &str| {
            (!names.is_empty()).then(|| format!("offered {when} only: {}", names.join(", ")))
        };
        line(&finding.only_with, "with roots").into_iter().chain(line(&finding.only_without, "without roots")).collect()
    }

    fn effects_in_words(&self, finding: &Finding) -> Vec<String> {
        let calls = self.plan.calls.iter().zip(&finding.effects);
        calls.map(|(call, effect)| format!("`{}` {}", call.tool, effect.words())).collect()
    }

    /// Whether roots took the place of a configured directory, and what shows it.
    fn replaced(&self, finding: &mut Finding) -> Option<Vec<String>> {
        let mut gained = None;
        for root in &self.plan.roots {
            gained = gained.or_else(|| self.only_in(finding, root, true));
        }
        for directory in &self.plan.configured {
            if self.plan.roots.iter().any(|root| root.starts_with(directory) || directory.starts_with(root)) {
                finding.notes.push(format!(
                    "the configured directory {} lies in a root, or a root in it: whether roots replace it cannot be \
                     told",
                    directory.display()
                ));
                continue;
            }
            if let (Some(lost), Some(gained)) = (self.only_in(finding, directory, false), &gained) {
                return Some(vec![lost, gained.clone()]);
            }
        }
        None
    }

    /// What shows that a directory counts in one run only: the one with roots, or the one without.
    fn only_in(&self, finding: &Finding, directory: &Path, with_roots: bool) -> Option<String> {
        let when = if with_roots { "with roots" } else { "without roots" };
        let shown = directory.display();
        let calls = self.plan.calls.iter().zip(&finding.effects).enumerate();
        calls.filter(|(_, (_, effect))| effect.depends_on_roots()).find_map(|(at, (call, effect))| {
            let answer = |run: &Run| match run.exercise.calls.get(at) {
                Some(Called { answer: Answer::Result(result), .. }) => Some(names_directory(result, directory)),
                _ => None,
            };
            let worked_only = if with_roots { Effect::FailsWithout } else { Effect::FailsWith };
            if *effect == worked_only && names_below(&call.arguments.clone().into(), directory) {
                return Some(format!("`{}` on a path in {shown} worked {when} only", call.tool));
            }
            let named = (answer(self.with)?, answer(self.without)?);
            (named == (with_roots, !with_roots)).then(|| format!("`{}` named {shown} {when} only", call.tool))
        })
    }

    fn names_configured(&self, answer: &Value) -> bool {
        self.plan.configured.iter().any(|directory| names_directory(answer, directory))
    }

    fn names_root(&self, arguments: &Value) -> bool {
        let added = std::iter::once(&self.plan.added);
        self.plan.roots.iter().chain(added).any(|root| names_below(arguments, root))
    }

    fn notes(&self, finding: &Finding) -> Vec<String> {
        let mut notes = Vec::new();
        for run in [Some(self.without), self.again].into_iter().flatten() {
            if run.counts.asks > 0 {
                let asks = plural(usize::try_from(run.counts.asks).unwrap_or(usize::MAX), "time");
                notes.push(format!("it asked {asks} although the client had not declared roots, which it must not"));
                break;
            }
        }
        if self.asks() > 0 && !finding.not_called.is_empty() {
            let (not_called, all) = (finding.not_called.len(), self.with.exercise.offer.tools.len());
            notes.push(format!("{not_called} of {all} tools were not called"));
        }
        if let Some(empty) = self.empty {
            notes.extend(self.empty_in_words(empty));
        }
        if self.with.counts.asks > 0
            && self.with.after_change.is_some()
            && let Ok(about) = &self.with.opened
            && about.revisions.is_empty()
            && !self.with.asks.iter().any(|ask| ask.moment == Moment::AfterListChanged)
        {
            notes.push("it did not ask again after list_changed by itself".to_owned());
        }
        notes
    }

    /// What an empty list does, compared with the run without roots.
    fn empty_in_words(&self, empty: &Run) -> Option<String> {
        if let Err(error) = &empty.opened {
            return Some(format!("with an empty list it cannot be run: {error}"));
        }
        if self.without.opened.is_err() || self.asks() == 0 {
            return None;
        }
        let calls = empty.exercise.calls.iter().zip(&self.without.exercise.calls).zip(&self.plan.calls);
        let other: BTreeSet<String> = calls
            .filter(|((empty, without), _)| empty.answer != without.answer)
            .map(|(_, call)| format!("`{}`", call.tool))
            .collect();
        let same_offer = names(&empty.exercise.offer) == names(&self.without.exercise.offer);
        Some(match (other.is_empty(), same_offer) {
            (true, true) => "an empty list has the same effect as no roots".to_owned(),
            (true, false) => "with an empty list it offers something else than without roots".to_owned(),
            (false, _) => {
                let tools: Vec<String> = other.into_iter().collect();
                format!("with an empty list {} answered otherwise than without roots", tools.join(", "))
            }
        })
    }
}

fn names(offer: &Offer) -> BTreeSet<String> {
    let kinds = [
        ("tool", &offer.tools),
        ("resource", &offer.resources),
        ("template", &offer.templates),
        ("prompt", &offer.prompts),
    ];
    kinds.into_iter().flat_map(|(kind, names)| names.iter().map(move |name| format!("{kind} {name}"))).collect()
}

fn plural(count: usize, word: &str) -> String {
    match count {
        1 => format!("{count} {word}"),
        _ => format!("{count} {word}s"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::observe::client::{About, Ask, Counts, Launch, OpenError, Remains, RootsAnswer, Target};
    use crate::observe::probe::{EraChoice, NamedCall};

    fn plan(calls: &[(&str, Value)], configured: &[&str]) -> Plan {
        let calls = calls.iter().map(|(tool, arguments)| NamedCall {
            tool: (*tool).to_owned(),
            arguments: arguments.as_object().cloned().unwrap_or_default(),
        });
        Plan {
            target: Target::Command(Launch { program: "x".into(), args: Vec::new(), env: Vec::new(), cwd: None }),
            era: EraChoice::Legacy,
            roots: vec![PathBuf::from("/made/alpha")],
            added: PathBuf::from("/made/beta"),
            calls: calls.collect(),
            configured: configured.iter().map(PathBuf::from).collect(),
            timeout: Duration::from_secs(1),
        }
    }

    fn text(text: &str) -> Answer {
        Answer::Result(json!({ "content": [{ "type": "text", "text": text }] }))
    }

    fn failed(text: &str) -> Answer {
        Answer::ToolError(json!({ "content": [{ "type": "text", "text": text }], "isError": true }))
    }

    fn run(part: Part, asks: u64, tools: &[&str], answers: &[Answer]) -> Run {
        let called = |answer: &Answer| Called {
            answer: answer.clone(),
            rounds: 1,
            counts: Counts::default(),
            elapsed: Duration::ZERO,
        };
        let offer = Offer { tools: tools.iter().map(|tool| (*tool).to_owned()).collect(), ..Offer::default() };
        let ask = Ask { at: Duration::ZERO, moment: Moment::AfterInitialized, answer: RootsAnswer::Roots(1) };
        Run {
            part,
            opened: Ok(About::default()),
            exercise: Exercise { offer, calls: answers.iter().map(called).collect() },
            after_change: None,
            asks: (0..asks).map(|_| ask.clone()).collect(),
            counts: Counts { asks, ..Counts::default() },
            given_up: None,
            remains: Remains::default(),
        }
    }

    /// The verdict on a server with the tools `t` and `u`, which answers the same in both runs without roots.
    fn verdict(plan: &Plan, asks: u64, with: &[Answer], without: &[Answer]) -> Finding {
        let tools = ["t", "u"];
        judge(
            plan,
            &[
                run(Part::Roots, asks, &tools, with),
                run(Part::None, 0, &tools, without),
                run(Part::Empty, asks, &tools, without),
                run(Part::NoneAgain, 0, &tools, without),
            ],
        )
    }

    #[test]
    fn silence_proves_something_only_when_all_was_called() {
        let one = plan(&[("t", json!({}))], &[]);
        let finding = verdict(&one, 0, &[text("1")], &[text("1")]);
        assert_eq!(finding.verdict, Verdict::DidNotAsk);
        assert_eq!(finding.not_called, ["u"]);
        assert!(finding.evidence.iter().any(|line| line.starts_with("1 of 2 tools were not called")), "{finding:?}");

        let both = plan(&[("t", json!({})), ("u", json!({}))], &[]);
        let same = [text("1"), text("2")];
        assert_eq!(verdict(&both, 0, &same, &same).verdict, Verdict::DoesNotUseRoots);
        let broken = [text("1"), failed("wrong arguments")];
        assert_eq!(verdict(&both, 0, &broken, &broken).verdict, Verdict::DidNotAsk);
    }

    #[test]
    fn asked_and_nothing_called() {
        assert_eq!(verdict(&plan(&[], &[]), 1, &[], &[]).verdict, Verdict::UsesRoots);
    }

    #[test]
    fn a_failure_that_names_no_root_shows_that_there_is_no_fallback() {
        let none = failed("no workspace");
        let bare = plan(&[("t", json!({ "subdir": "x" }))], &[]);
        let finding = verdict(&bare, 1, &[text("3 lines")], std::slice::from_ref(&none));
        assert_eq!(finding.verdict, Verdict::WorksOnlyThroughRoots);
        let named = plan(&[("t", json!({ "path": "/made/alpha/README.md" }))], &[]);
        let finding = verdict(&named, 1, &[text("3 lines")], std::slice::from_ref(&none));
        assert_eq!(finding.verdict, Verdict::UsesRoots);
    }

    #[test]
    fn an_answer_that_lost_only_the_roots_shows_it_too() {
        let plan = plan(&[("t", json!({}))], &[]);
        let with = text("Allowed directories:\n/made/alpha");
        for (without, expected) in [
            ("Allowed directories:\n", Verdict::WorksOnlyThroughRoots),
            ("Allowed directories:\n/home", Verdict::UsesRootsWithFallback),
        ] {
            assert_eq!(verdict(&plan, 1, std::slice::from_ref(&with), &[text(without)]).verdict, expected, "{without}");
        }
    }

    #[test]
    fn directories_are_replaced_when_one_is_lost_and_a_root_gained() {
        let list = plan(&[("t", json!({}))], &["/conf"]);
        let finding = verdict(&list, 1, &[text("/made/alpha")], &[text("/conf")]);
        assert_eq!(finding.verdict, Verdict::RootsReplaceDirectories, "{finding:?}");
        // Both: the root was added, and nothing lost.
        let finding = verdict(&list, 1, &[text("/conf\n/made/alpha")], &[text("/conf")]);
        assert_eq!(finding.verdict, Verdict::UsesRootsWithFallback);
        // Another directory of the same beginning is no loss.
        let finding = verdict(&list, 1, &[text("/made/alpha")], &[text("/conf-old /conf/sub")]);
        assert_eq!(finding.verdict, Verdict::UsesRootsWithFallback);

        let read = plan(&[("t", json!({ "path": "/conf/f" })), ("u", json!({ "path": "/made/alpha/f" }))], &["/conf"]);
        let finding = verdict(&read, 1, &[failed("denied"), text("x")], &[text("y"), failed("denied")]);
        assert_eq!(finding.verdict, Verdict::RootsReplaceDirectories, "{finding:?}");
        let finding = verdict(&read, 1, &[failed("denied"), failed("denied")], &[text("y"), failed("denied")]);
        assert_eq!(finding.verdict, Verdict::UsesRootsWithFallback);
    }

    #[test]
    fn a_directory_that_overlaps_with_a_root_proves_nothing() {
        let plan = plan(&[("t", json!({}))], &["/made"]);
        let finding = verdict(&plan, 1, &[text("/made/alpha")], &[text("/made")]);
        assert_eq!(finding.verdict, Verdict::UsesRootsWithFallback);
        assert!(finding.notes.iter().any(|note| note.contains("cannot be told")), "{finding:?}");
    }

    #[test]
    fn answers_that_change_by_themselves_prove_nothing() {
        let plan = plan(&[("t", json!({}))], &[]);
        let runs = [
            run(Part::Roots, 0, &["t"], &[text("12:00")]),
            run(Part::None, 0, &["t"], &[text("12:01")]),
            run(Part::Empty, 0, &["t"], &[text("12:02")]),
            run(Part::NoneAgain, 0, &["t"], &[text("12:03")]),
        ];
        let finding = judge(&plan, &runs);
        assert_eq!((finding.verdict, finding.effects), (Verdict::DidNotAsk, vec![Effect::Varies]));

        // That it fails is steady, the words are not.
        let runs = [
            run(Part::Roots, 1, &["t"], &[text("1")]),
            run(Part::None, 0, &["t"], &[failed("no roots at 12:01")]),
            run(Part::Empty, 1, &["t"], &[failed("no roots at 12:02")]),
            run(Part::NoneAgain, 0, &["t"], &[failed("no roots at 12:03")]),
        ];
        assert_eq!(judge(&plan, &runs).verdict, Verdict::WorksOnlyThroughRoots);
    }

    #[test]
    fn a_tool_that_is_taken_back_is_a_fallback() {
        let plan = plan(&[("t", json!({}))], &[]);
        let runs = [
            run(Part::Roots, 1, &["t", "u"], &[text("roots: 1")]),
            run(Part::None, 0, &["u"], &[failed("unknown tool")]),
            run(Part::Empty, 1, &["t", "u"], &[text("roots: 0")]),
            run(Part::NoneAgain, 0, &["u"], &[failed("unknown tool")]),
        ];
        let finding = judge(&plan, &runs);
        assert_eq!((finding.verdict, finding.only_with), (Verdict::UsesRootsWithFallback, vec!["tool t".to_owned()]));
    }

    #[test]
    fn a_server_that_does_not_start_without_roots_works_only_through_them() {
        let plan = plan(&[], &[]);
        let mut runs =
            [run(Part::Roots, 1, &["t"], &[]), run(Part::None, 0, &[], &[]), run(Part::Empty, 1, &["t"], &[])];
        runs[1].opened = Err(OpenError::Target("no".to_owned()));
        assert_eq!(judge(&plan, &runs).verdict, Verdict::WorksOnlyThroughRoots);
    }
}
