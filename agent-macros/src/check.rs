//! The rules that need more than one attribute.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::attr::{Arg, Duplicates, Given};
use crate::ctxt::Ctxt;
use crate::model::{Field, Tool};
use crate::parameter::peel;
use crate::symbol::{self, Symbol};

/// All rules for a tool.
pub(crate) fn tool(cx: &Ctxt, tool: &Tool) {
    check_is_async(cx, tool);
    check_is_not_generic(cx, tool);
    check_is_plain(cx, tool);
    check_ends(cx, tool);
    check_name(cx, tool);
    check_documented(cx, tool);
    check_access(cx, tool);
    check_words_of_mutating(cx, tool);
    check_retries(cx, tool);
    check_whole(cx, tool);
    check_identity(cx, tool);
    let fields: Vec<&Field> = tool.fields().collect();
    check_names(cx, &fields, "parameters");
    for field in fields {
        check_parameter_documented(cx, field);
        check_values(cx, field);
    }
}

/// All rules for the fields of a derived struct.
pub(crate) fn fields(cx: &Ctxt, fields: &[Field]) {
    check_names(cx, &fields.iter().collect::<Vec<_>>(), "fields");
    for field in fields {
        check_field_documented(cx, field);
        check_values(cx, field);
    }
}

/// `fn lookup()`
fn check_is_async(cx: &Ctxt, tool: &Tool) {
    let sig = &tool.function.sig;
    if sig.asyncness.is_none() {
        cx.error(sig.fn_token, "a tool is an async function; write `async fn`");
    }
}

/// `async fn lookup<T>()`
fn check_is_not_generic(cx: &Ctxt, tool: &Tool) {
    let generics = &tool.function.sig.generics;
    match generics.params.first() {
        Some(syn::GenericParam::Lifetime(_)) => {
            cx.error(
                &generics.params,
                "a tool has no lifetimes; what it borrows is lent for the call: `ledger: &Ledger`",
            );
        }
        Some(_) => cx.error(&generics.params, "a tool is not generic: its schema is one text; name the types"),
        None => {}
    }
}

/// `async unsafe fn lookup()`
fn check_is_plain(cx: &Ctxt, tool: &Tool) {
    let sig = &tool.function.sig;
    if let syn::Safety::Unsafe(token) = &sig.safety {
        cx.error(token, "a model may call a tool at any time; it cannot be `unsafe`");
    }
    if let Some(abi) = &sig.abi {
        cx.error(abi, "a tool is a plain `async fn`; leave `extern` out");
    }
}

/// `async fn lookup() -> !`
fn check_ends(cx: &Ctxt, tool: &Tool) {
    if let syn::ReturnType::Type(_, ty) = &tool.function.sig.output
        && let syn::Type::Never(never) = peel(ty)
    {
        cx.error(never, "a tool comes to an end, and the model is shown what it gives; return a value or a `Result`");
    }
}

/// `async fn größe()`
fn check_name(cx: &Ctxt, tool: &Tool) {
    if let Some(wrong) = tool.wrong_own_name() {
        cx.error(&tool.function.sig.ident, wrong);
    }
}

/// A function without a doc comment.
fn check_documented(cx: &Ctxt, tool: &Tool) {
    if tool.doc.is_empty() {
        let name = &tool.function.sig.ident;
        cx.error(name, format!("the model is shown what `{name}` is for; write a doc comment above the function"));
    }
}

/// `#[tool(mutating)]`, `#[tool(mutating, permission = "..", unrestricted)]`
fn check_access(cx: &Ctxt, tool: &Tool) {
    let attr = &tool.attr;
    if let (true, Some(word)) = (attr.permission.is_given(), attr.unrestricted.word()) {
        cx.error(word, "`unrestricted` lets every caller in, `permission` only some; keep one");
    }
    // An unknown word may have been meant to say it.
    if attr.permission.is_given() || attr.unrestricted.is_given() || attr.unknown {
        return;
    }
    if let Some(word) = attr.mutating.word() {
        cx.error(word, "a mutating tool says who may call it: add `permission = \"..\"` or `unrestricted`");
    }
}

/// `#[tool(keyed)]` without `mutating`
fn check_words_of_mutating(cx: &Ctxt, tool: &Tool) {
    let attr = &tool.attr;
    if attr.mutating.is_given() {
        return;
    }
    let words = [attr.unrestricted.word(), attr.duplicates.word(), attr.keyed.word(), attr.reconcile.word()];
    for word in words.into_iter().flatten() {
        cx.error(word, format!("`{word}` goes with `mutating`; this tool only reads"));
    }
}

/// `#[tool(mutating, unrestricted, retries = 2)]`
fn check_retries(cx: &Ctxt, tool: &Tool) {
    let attr = &tool.attr;
    if let (Some(word), true, false) = (attr.retries.word(), attr.mutating.is_given(), attr.keyed.is_given()) {
        cx.error(
            word,
            "a mutating tool is not tried again unless its target honours the key that it is handed; add `keyed`, or leave `retries` out",
        );
    }
}

/// `#[arg(flatten)] order: Order, note: String`
fn check_whole(cx: &Ctxt, tool: &Tool) {
    let Some(whole) = tool.whole() else { return };
    if let Some(word) = whole.arg.flatten.word().filter(|_| tool.fields().count() > 1) {
        cx.error(word, "a flattened struct is the whole argument object; the model fills in no other parameter, so put the others into it");
    }
    if let Some(word) = whole.arg.flatten.word().filter(|_| !whole.cfgs.is_empty()) {
        cx.error(
            word,
            "the whole argument object cannot depend on a `#[cfg]`; write two functions, each with its `#[cfg]`",
        );
    }
    let arg = &whole.arg;
    let others = [
        arg.default.word(),
        arg.example.word(),
        arg.rename.word(),
        arg.identity.word(),
        arg.as_type.word(),
        arg.schemars.word(),
    ];
    let others = others.into_iter().flatten().chain(arg.rules.iter().map(|rule| &rule.word));
    for word in others {
        cx.error(word, "a flattened struct is not a value of its own; put this on its fields");
    }
    if let Some(word) = tool.attr.rename_all.word() {
        cx.error(word, "the names are those of the flattened struct; write `#[serde(rename_all = \"..\")]` on it");
    }
}

/// `#[arg(identity)]` on a tool that only reads
fn check_identity(cx: &Ctxt, tool: &Tool) {
    for word in tool.fields().filter_map(|field| field.arg.identity.word()) {
        if !tool.attr.mutating.is_given() {
            cx.error(word, "`identity` tells effects apart; this tool only reads");
        } else if tool.attr.duplicates.get() == Some(&Duplicates::Allow) {
            cx.error(word, "with `duplicates = \"allow\"` each call is another one, whatever its arguments");
        }
    }
}

/// A parameter without a doc comment.
fn check_parameter_documented(cx: &Ctxt, field: &Field) {
    if field.doc.is_empty() && !field.arg.flatten.is_given() {
        let name = &field.ident;
        cx.error(name, format!("the model is shown what `{name}` is; write a doc comment above the parameter"));
    }
}

/// A field without a doc comment.
fn check_field_documented(cx: &Ctxt, field: &Field) {
    if field.doc.is_empty() && !field.flatten {
        let name = &field.ident;
        cx.error(name, format!("the model is shown what `{name}` is; write a doc comment above the field"));
    }
}

/// Two fields of one name on the wire.
fn check_names(cx: &Ctxt, fields: &[&Field], what: &str) {
    let mut seen: HashMap<String, bool> = HashMap::new();
    for field in fields {
        let conditional = !field.cfgs.is_empty();
        let names = std::iter::once(field.wire.clone()).chain(field.aliases.iter().map(syn::LitStr::value));
        for name in names {
            if name.is_empty() {
                cx.error(field.named_at(), "an empty name cannot be filled in; give it another");
            }
            // Of two that depend on `#[cfg]`s, at most one may be there.
            if let Some(false) = seen.insert(name.clone(), conditional).map(|before| before && conditional) {
                cx.error(field.named_at(), format!("two {what} are named `{name}` on the wire; rename one of them"));
            }
        }
    }
}

/// `#[arg(minimum = 5, maximum = 1)]`, `#[arg(minimum = 5, default = 1)]`
fn check_values(cx: &Ctxt, field: &Field) {
    let arg = &field.arg;
    check_doubled_bounds(cx, arg);
    check_bounds(cx, arg);
    check_counts(cx, arg, symbol::MIN_LENGTH, symbol::MAX_LENGTH);
    check_counts(cx, arg, symbol::MIN_ITEMS, symbol::MAX_ITEMS);
    for (word, given) in [("default", arg.default.get()), ("example", arg.example.get())] {
        if let Some(given) = given {
            check_given(cx, arg, word, given);
        }
    }
    if let (Some(word), true) = (arg.default.word(), field.serde_default.is_some()) {
        cx.error(word, "serde has a default for this field already; keep one");
    }
}

/// `#[arg(minimum = 0, exclusive_minimum = 0)]`
fn check_doubled_bounds(cx: &Ctxt, arg: &Arg) {
    let pairs = [(symbol::MINIMUM, symbol::EXCLUSIVE_MINIMUM), (symbol::MAXIMUM, symbol::EXCLUSIVE_MAXIMUM)];
    for (a, b) in pairs {
        let second = arg.rules.iter().filter(|rule| rule.word == a || rule.word == b).nth(1);
        if let Some(rule) = second {
            cx.error(&rule.word, format!("`{a}` and `{b}` bound the same side; keep one"));
        }
    }
}

/// `#[arg(minimum = 5, maximum = 1)]`
fn check_bounds(cx: &Ctxt, arg: &Arg) {
    let lows = [(symbol::MINIMUM, false), (symbol::EXCLUSIVE_MINIMUM, true)];
    let highs = [(symbol::MAXIMUM, false), (symbol::EXCLUSIVE_MAXIMUM, true)];
    for (low, low_open) in lows {
        for (high, high_open) in highs {
            let (Some(least), Some(most)) = (arg.number(low), arg.number(high)) else { continue };
            let empty = match least.compare(most) {
                Ordering::Greater => true,
                Ordering::Equal => low_open || high_open,
                Ordering::Less => false,
            };
            if empty {
                cx.error(
                    most,
                    format!(
                        "no number lies between `{low} = {}` and `{high} = {}`; change one of them",
                        least.json(),
                        most.json()
                    ),
                );
            }
        }
    }
}

/// `#[arg(min_length = 5, max_length = 1)]`
fn check_counts(cx: &Ctxt, arg: &Arg, least: Symbol, most: Symbol) {
    let (Some((_, min)), Some((word, max))) = (arg.count(least), arg.count(most)) else { return };
    if min > max {
        cx.error(
            word,
            format!("`{least} = {min}` is more than `{most} = {max}`, so nothing fits both; change one of them"),
        );
    }
}

/// `#[arg(minimum = 5, default = 1)]`
fn check_given(cx: &Ctxt, arg: &Arg, word: &str, given: &Given) {
    let outside = |rule: Symbol, limit: String| {
        cx.error(given, format!("the {word} does not keep to `{rule} = {limit}`; change one of them"));
    };
    match given {
        Given::Number(number) => {
            let rules = [
                (symbol::MINIMUM, [Ordering::Greater, Ordering::Equal]),
                (symbol::EXCLUSIVE_MINIMUM, [Ordering::Greater; 2]),
                (symbol::MAXIMUM, [Ordering::Less, Ordering::Equal]),
                (symbol::EXCLUSIVE_MAXIMUM, [Ordering::Less; 2]),
            ];
            for (rule, right) in rules {
                let Some(limit) = arg.number(rule) else { continue };
                if !right.contains(&number.compare(limit)) {
                    outside(rule, limit.json());
                }
            }
            let unit = arg.number(symbol::MULTIPLE_OF);
            if let Some(unit) = unit.filter(|unit| number.is_multiple_of(unit) == Some(false)) {
                outside(symbol::MULTIPLE_OF, unit.json());
            }
        }
        Given::Text(text) => {
            check_size(arg, text.value().chars().count(), symbol::MIN_LENGTH, symbol::MAX_LENGTH, outside);
            if let Some(pattern) = arg.pattern().filter(|pattern| !pattern.matches(&text.value())) {
                outside(symbol::PATTERN, format!("{:?}", pattern.text.value()));
            }
        }
        Given::List(items, _) => check_size(arg, items.len(), symbol::MIN_ITEMS, symbol::MAX_ITEMS, outside),
        Given::Bool(..) => {}
    }
}

fn check_size(arg: &Arg, size: usize, least: Symbol, most: Symbol, outside: impl Fn(Symbol, String)) {
    let size = size as u64;
    if let Some((_, min)) = arg.count(least).filter(|(_, min)| size < *min) {
        outside(least, min.to_string());
    }
    if let Some((_, max)) = arg.count(most).filter(|(_, max)| size > *max) {
        outside(most, max.to_string());
    }
}
