//! Types and receivers as far as syntax tells.

use syn::{Expr, GenericArgument, Lit, Member, PathArguments, Type, TypeParamBound};

use super::facts::{Receiver, TypeName};

/// Wrappers that do not change whose methods can be called.
const WRAPPERS: [&str; 18] = [
    "Arc",
    "Rc",
    "Box",
    "Pin",
    "Cow",
    "Option",
    "Mutex",
    "RwLock",
    "RefCell",
    "OnceCell",
    "OnceLock",
    "Weak",
    "ManuallyDrop",
    "Result",
    "SetOnce",
    "LazyLock",
    "ArcSwap",
    "ArcSwapOption",
];

/// Methods that hand on the same thing.
const TRANSPARENT: [&str; 26] = [
    "clone",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "unwrap",
    "expect",
    "borrow",
    "borrow_mut",
    "to_owned",
    "lock",
    "read",
    "write",
    "get",
    "cloned",
    "ok",
    "ok_or",
    "ok_or_else",
    "unwrap_or_default",
    "into_inner",
    "inner",
    "upgrade",
    "as_str",
    "to_string",
    "iter",
    "into_iter",
];

/// Segments of a path as strings.
pub(super) fn segments(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// The type behind references and wrappers.
pub(super) fn type_name(ty: &Type) -> Option<TypeName> {
    match ty {
        Type::Reference(inner) => type_name(&inner.elem),
        Type::Paren(inner) => type_name(&inner.elem),
        Type::Group(inner) => type_name(&inner.elem),
        Type::TraitObject(object) => object.bounds.iter().find_map(bound_name),
        Type::ImplTrait(object) => object.bounds.iter().find_map(bound_name),
        Type::Path(path) => path_name(&path.path),
        _ => None,
    }
}

fn bound_name(bound: &TypeParamBound) -> Option<TypeName> {
    match bound {
        TypeParamBound::Trait(bound) => path_name(&bound.path),
        _ => None,
    }
}

fn path_name(path: &syn::Path) -> Option<TypeName> {
    let last = path.segments.last()?;
    let args: Vec<&Type> = match &last.arguments {
        PathArguments::AngleBracketed(args) => args
            .args
            .iter()
            .filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    if WRAPPERS.contains(&last.ident.to_string().as_str()) {
        return args.first().and_then(|inner| type_name(inner));
    }
    let last_segment = |ty: &&Type| type_name(ty).and_then(|name| name.path.last().cloned());
    Some(TypeName { path: segments(path), args: args.iter().filter_map(last_segment).collect() })
}

/// Names along an expression: `ctx.peer.clone().await?` is `ctx`, `peer`; string keys count as names.
pub(super) fn names_of(expr: &Expr) -> Vec<String> {
    let mut names = Vec::new();
    let mut current = expr;
    loop {
        current = match current {
            Expr::Field(field) => {
                names.push(match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(index) => index.index.to_string(),
                });
                &field.base
            }
            Expr::MethodCall(call) => {
                let method = call.method.to_string();
                let key = call.args.first().and_then(string_literal);
                match key {
                    Some(key) => names.push(key),
                    None if TRANSPARENT.contains(&method.as_str()) => {}
                    None => names.push(method),
                }
                &call.receiver
            }
            Expr::Index(index) => {
                names.extend(string_literal(&index.index));
                &index.expr
            }
            Expr::Call(call) => {
                match call.func.as_ref() {
                    // `Some(x)`, `Arc::clone(&x)` and their like hand on their only argument.
                    Expr::Path(_) if call.args.len() == 1 && is_wrapping(&call.func) => &call.args[0],
                    func => func,
                }
            }
            Expr::Await(inner) => &inner.base,
            Expr::Try(inner) => &inner.expr,
            Expr::Reference(inner) => &inner.expr,
            Expr::Paren(inner) => &inner.expr,
            Expr::Group(inner) => &inner.expr,
            Expr::Unary(inner) => &inner.expr,
            Expr::Cast(inner) => &inner.expr,
            Expr::Path(path) => {
                names.extend(segments(&path.path).into_iter().rev());
                break;
            }
            _ => break,
        };
    }
    names.reverse();
    names
}

/// Names of an expression that is only a variable and its fields: what a person would quote of a receiver.
pub(super) fn plain_names(expr: &Expr) -> Option<Vec<String>> {
    let inner = match expr {
        Expr::Path(path) => return (path.path.segments.len() == 1).then(|| segments(&path.path)),
        Expr::Field(field) => {
            let Member::Named(name) = &field.member else { return None };
            let mut names = plain_names(&field.base)?;
            names.push(name.to_string());
            return Some(names);
        }
        Expr::MethodCall(call) if TRANSPARENT.contains(&call.method.to_string().as_str()) => &call.receiver,
        Expr::Await(inner) => &inner.base,
        Expr::Try(inner) => &inner.expr,
        Expr::Reference(inner) => &inner.expr,
        Expr::Paren(inner) => &inner.expr,
        _ => return None,
    };
    plain_names(inner)
}

fn is_wrapping(func: &Expr) -> bool {
    let Expr::Path(path) = func else { return false };
    let names = segments(&path.path);
    match names.as_slice() {
        [.., wrapper, method] => WRAPPERS.contains(&wrapper.as_str()) && (method == "clone" || method == "new"),
        [only] => only == "Some" || only == "Ok",
        [] => false,
    }
}

/// The receiver that an expression is, aliases not yet followed.
pub(super) fn receiver(expr: &Expr) -> Receiver {
    Receiver { names: names_of(expr), ty: None }
}

/// The text of a string literal, past `&` and parentheses.
pub(super) fn string_literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        Expr::Reference(inner) => string_literal(&inner.expr),
        Expr::Paren(inner) => string_literal(&inner.expr),
        Expr::Group(inner) => string_literal(&inner.expr),
        _ => None,
    }
}

/// The type that `Type::default()`, `Type::new(…)` or `Type { … }` builds.
pub(super) fn constructed_type(expr: &Expr) -> Option<TypeName> {
    let path = match expr {
        Expr::Struct(literal) => segments(&literal.path),
        Expr::Call(call) => match call.func.as_ref() {
            Expr::Path(path) => {
                let mut names = segments(&path.path);
                let last = names.pop()?;
                if last != "default" && last != "new" {
                    return None;
                }
                names
            }
            _ => return None,
        },
        _ => return None,
    };
    let is_type = path.last().is_some_and(|last| last.starts_with(char::is_uppercase));
    let wraps = path.last().is_some_and(|last| WRAPPERS.contains(&last.as_str()));
    (is_type && !wraps).then_some(TypeName { path, args: Vec::new() })
}

/// Whether an expression is the literal `false`.
pub(super) fn is_false(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(literal) if matches!(&literal.lit, Lit::Bool(value) if !value.value))
}

/// Whether an expression is `None`, `null` or an empty default.
pub(super) fn is_nothing(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "None" || last.ident == "Null"),
        Expr::Paren(inner) => is_nothing(&inner.expr),
        Expr::Group(inner) => is_nothing(&inner.expr),
        Expr::Call(call) => match call.func.as_ref() {
            Expr::Path(path) => {
                let names = segments(&path.path);
                matches!(names.as_slice(), [.., option, default] if option == "Option" && default == "default")
            }
            _ => false,
        },
        _ => false,
    }
}
