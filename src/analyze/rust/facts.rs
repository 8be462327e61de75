//! What the syntax of one Rust file says, before anything is known about the rest of its crate.
//!
//! Facts are owned and `Send`: no syntax tree outlives the thread that parsed it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::finding::Degraded;
use crate::project::source::Source;

/// Index into [`FileFacts::scopes`].
pub(super) type ScopeId = usize;
/// Index into [`FileFacts::items`].
pub(super) type ItemId = usize;
/// Bytes of the file's text.
pub(super) type Bytes = Range<usize>;

/// A `use` of one name, or of all names below a path.
#[derive(Clone, Debug)]
pub(super) struct Import {
    /// The name it introduces; `None` for a glob.
    pub name: Option<String>,
    /// The path as written, without a leading `::`.
    pub path: Vec<String>,
    /// The last segment, in the file.
    pub span: Bytes,
    /// The `use` item, so that names of one item fold together.
    pub item: ItemId,
    /// What is true around it.
    pub around: Around,
}

/// Where names are looked up: a module or a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// Names of the inline modules around it, from the file's own module.
    pub module: Vec<String>,
    /// A module stops the lookup of outer names; a block does not.
    pub is_module: bool,
    /// Its imports.
    pub imports: Vec<Import>,
    /// Name → the first import that introduces it.
    pub by_name: HashMap<String, usize>,
    /// Types, traits, functions and modules defined in it.
    pub defined: BTreeSet<String>,
}

/// What kind of thing encloses a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// The file itself.
    File,
    /// A `use` item.
    Use,
    /// A function or method.
    Function,
    /// Anything else: struct, enum, impl header, const.
    Other,
}

/// A call inside an item, by the last segment of what is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CallFact {
    /// The name.
    pub name: String,
    /// Inside something that stops waiting.
    pub under_deadline: bool,
    /// Inside something that leaves the request.
    pub detached: bool,
}

/// The thing that encloses a use; what belongs to one item folds together.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its name, empty for the file.
    pub name: String,
    /// Calls in it, to follow who calls whom inside a crate.
    pub calls: BTreeSet<CallFact>,
}

/// A type as far as names go: wrappers such as `&`, `Arc`, `Option` and `dyn` are taken off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeName {
    /// Its path as written.
    pub path: Vec<String>,
    /// Last segments of its type arguments.
    pub args: Vec<String>,
}

/// What a method is called on, or a field belongs to, as far as syntax tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Receiver {
    /// Names along the expression, aliases followed: `context.peer.clone()` is `context`, `peer`.
    pub names: Vec<String>,
    /// The type, where a signature, a `let` or a struct of the file says so.
    pub ty: Option<TypeName>,
}

/// How a path stands in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathPlace {
    /// In a type, an expression or a trait bound.
    Named,
    /// In a pattern.
    Pattern,
    /// Called or built.
    Built,
}

/// How a field is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Read, compared or matched.
    Read,
    /// Given a value.
    Written,
    /// Given `None`, `null` or nothing.
    Cleared,
}

/// What stands around a string that is a protocol method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextPlace {
    /// Argument of a call; the words of its path.
    Argument(Vec<String>),
    /// Pattern of a match arm, or compared.
    Dispatched,
    /// Value of a JSON key; the keys down to it.
    Json(Vec<String>),
    /// Value of a struct field: words of the struct's path, and the field.
    Field(Vec<String>, String),
    /// Value of a constant or variable; its name.
    Bound(String),
    /// `rename = "…"` in an attribute.
    Renamed,
    /// Anywhere else.
    Other,
}

/// One place that may be a use of Roots.
#[derive(Clone, Debug)]
pub(super) enum Mention {
    /// A path with a promising segment.
    Path {
        /// Its segments.
        segments: Vec<String>,
        /// How it stands.
        place: PathPlace,
        /// What stands around it, should it be a constant string.
        text: TextPlace,
    },
    /// A method call.
    Call {
        /// The method.
        method: String,
        /// Number of arguments.
        args: usize,
        /// What it is called on.
        receiver: Receiver,
        /// The method called on its result, past `.await` and `?`.
        then: Option<String>,
    },
    /// A method that is defined.
    Method {
        /// Its name.
        method: String,
        /// The trait, in an `impl Trait for`.
        of_trait: Option<Vec<String>>,
        /// In a trait definition or an inherent impl.
        is_facade: bool,
        /// Types of its parameters.
        params: Vec<TypeName>,
    },
    /// A field access `base.field`.
    Field {
        /// The field.
        field: String,
        /// What it belongs to.
        base: Receiver,
        /// How it is touched.
        access: Access,
    },
    /// A field in a struct literal or struct pattern.
    StructField {
        /// The struct's path.
        path: Vec<String>,
        /// The field.
        field: String,
        /// How it is touched.
        access: Access,
    },
    /// A protocol method as a string.
    Text {
        /// The string.
        value: String,
        /// What stands around it.
        place: TextPlace,
    },
    /// A JSON key.
    JsonKey {
        /// The keys down to it, itself last; `*` for list items.
        path: Vec<String>,
        /// How it is touched.
        access: Access,
        /// What the whole object is assigned to or passed as.
        binding: Option<String>,
    },
    /// A struct or enum that is defined by hand.
    Definition {
        /// Its name.
        name: String,
        /// Its fields: wire name, Rust name and where.
        fields: Vec<(String, String, Bytes)>,
    },
    /// A macro or derive, by its path.
    Macro {
        /// Its segments.
        segments: Vec<String>,
    },
    /// A literal root URI.
    Uri {
        /// The text, as far as it is literal.
        value: String,
        /// The path that builds the root, or nothing for JSON.
        built_by: Option<Vec<String>>,
    },
    /// A scheme that is cut off as text.
    Surgery {
        /// What it is cut off.
        names: Vec<String>,
    },
}

/// What is true of the code around a mention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// Test code.
    pub in_test: bool,
    /// `allow(deprecated)` or `expect(deprecated)` is in force.
    pub silenced: bool,
    /// Inside an input request.
    pub in_input: bool,
    /// Inside something that stops waiting.
    pub under_deadline: bool,
    /// Inside something that leaves the request.
    pub detached: bool,
    /// In the pattern of an arm that only refuses.
    pub refused: bool,
    /// Seen in tokens that do not parse.
    pub tokens_only: bool,
}

/// A mention, where it stands and what is around it.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// What.
    pub mention: Mention,
    /// Where.
    pub span: Bytes,
    /// The code as a person would quote it.
    pub quote: String,
    /// What encloses it.
    pub item: ItemId,
    /// Where its names are looked up.
    pub scope: ScopeId,
    /// What is true around it.
    pub around: Around,
}

/// Everything of one file.
#[derive(Debug)]
pub(super) struct FileFacts {
    /// The file.
    pub source: Arc<Source>,
    /// Scopes; the first is the file's module.
    pub scopes: Vec<Scope>,
    /// Items; the first is the file.
    pub items: Vec<Item>,
    /// Mentions in order of the text.
    pub facts: Vec<Fact>,
    /// Struct → field → type.
    pub struct_fields: BTreeMap<String, BTreeMap<String, TypeName>>,
    /// Functions and inherent methods that are defined under the name of an SDK's method.
    pub functions: BTreeSet<String>,
    /// Traits that are defined.
    pub traits: BTreeSet<String>,
    /// The file has one of the words that show hand-written MCP.
    pub speaks_mcp: bool,
    /// It uses something, or another file may see something through it.
    pub matters: bool,
    /// It was read by its tokens, and why.
    pub degraded: Option<Degraded>,
    /// String literals that look like suppression comments.
    pub texts: Vec<Range<usize>>,
}
