//! What a probe can conclude, in words and in names. What leads to it is in `judge`.

/// What a server does with Roots, as far as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Verdict {
    /// It does not use Roots
    DoesNotUseRoots,
    /// It uses Roots, and works without them
    UsesRootsWithFallback,
    /// It works only through Roots
    WorksOnlyThroughRoots,
    /// Roots replace the directories that it was started with
    RootsReplaceDirectories,
    /// It did not ask, but not everything was called
    DidNotAsk,
    /// It uses Roots; what it does without them was not seen
    UsesRoots,
}

impl Verdict {
    /// The name that `--expect` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DoesNotUseRoots => "does-not-use-roots",
            Self::UsesRootsWithFallback => "uses-roots-with-fallback",
            Self::WorksOnlyThroughRoots => "works-only-through-roots",
            Self::RootsReplaceDirectories => "roots-replace-directories",
            Self::DidNotAsk => "did-not-ask",
            Self::UsesRoots => "uses-roots",
        }
    }

    /// Whether it says that Roots are used.
    #[must_use]
    pub fn uses_roots(self) -> bool {
        !matches!(self, Self::DoesNotUseRoots | Self::DidNotAsk)
    }

    /// The verdict in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::DoesNotUseRoots => "does not use Roots",
            Self::UsesRootsWithFallback => "uses Roots with a fallback",
            Self::WorksOnlyThroughRoots => "works only through Roots",
            Self::RootsReplaceDirectories => "Roots replace the configured directories",
            Self::DidNotAsk => "did not ask in what was exercised",
            Self::UsesRoots => "uses Roots; what it does without them was not exercised",
        }
    }
}

/// How a call went without roots, compared with the same call with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The same answer.
    Same,
    /// Both failed, in the same way or in ways that change by themselves.
    FailsInBoth,
    /// Both failed, in different ways.
    FailsDifferently,
    /// It worked with roots only.
    FailsWithout,
    /// It worked with roots only, and the tool is not even offered without.
    NotOffered,
    /// It worked without roots only.
    FailsWith,
    /// The roots are missing from the answer, and nothing came in their place.
    Emptied,
    /// Another answer.
    Differs,
    /// It worked in both; two runs without roots answer differently as well.
    Varies,
    /// It works and fails by itself: it proves nothing.
    Unsteady,
    /// It was not made in one of the runs.
    NotMade,
}

impl Effect {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::FailsInBoth => "fails-in-both",
            Self::FailsDifferently => "fails-differently",
            Self::FailsWithout => "fails-without",
            Self::NotOffered => "not-offered-without",
            Self::FailsWith => "fails-with",
            Self::Emptied => "emptied",
            Self::Differs => "differs",
            Self::Varies => "varies",
            Self::Unsteady => "unsteady",
            Self::NotMade => "not-made",
        }
    }

    /// What happened without roots, after the tool's name.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "answered the same with and without roots",
            Self::FailsInBoth => "failed with and without roots alike",
            Self::FailsDifferently => "failed with and without roots, in different ways",
            Self::FailsWithout => "worked with roots and failed without",
            Self::NotOffered => "worked with roots and is not offered without",
            Self::FailsWith => "worked without roots and failed with them",
            Self::Emptied => "answered without roots, with nothing in their place",
            Self::Differs => "answered without roots, too, with another result",
            Self::Varies => "worked with and without roots, with an answer that changes by itself",
            Self::Unsteady => "works and fails by itself, which proves nothing",
            Self::NotMade => "was not called in every run",
        }
    }

    pub(super) fn depends_on_roots(self) -> bool {
        !matches!(self, Self::Same | Self::Varies | Self::FailsInBoth | Self::Unsteady | Self::NotMade)
    }
}

/// The verdict and what carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, a sentence each.
    pub evidence: Vec<String>,
    /// What else is worth knowing, a sentence each.
    pub notes: Vec<String>,
    /// For each call of the plan.
    pub effects: Vec<Effect>,
    /// Tools that were offered and never called.
    pub not_called: Vec<String>,
    /// Resources, templates and prompts that were offered; none of them is ever read.
    pub not_read: usize,
    /// What is offered with roots only, such as `tool x`.
    pub only_with: Vec<String>,
    /// What is offered without roots only.
    pub only_without: Vec<String>,
}
