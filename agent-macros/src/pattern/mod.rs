//! The patterns that ECMA-262 and Rust's `regex` read alike.

mod grammar;
mod matches;
#[cfg(test)]
mod tests;

use proc_macro2::Span;
use regex_syntax::ast::{self, Ast, Visitor};
use regex_syntax::hir::translate::Translator;
use syn::LitStr;

use self::grammar::Node;

/// A pattern of the subset.
pub(crate) struct Pattern {
    pub(crate) text: LitStr,
    node: Node,
}

impl Pattern {
    /// The pattern, if it is in the subset; the error points into the literal where the compiler can.
    pub(crate) fn of(text: LitStr) -> syn::Result<Self> {
        match read(&text.value()) {
            Ok(node) => Ok(Self { text, node }),
            Err(wrong) => Err(syn::Error::new(wrong.within(&text), wrong.message)),
        }
    }

    /// Whether the pattern matches somewhere in the text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        matches::is_match(&self.node, text)
    }
}

/// Both readers have their say: `regex` whether it reads the pattern at all and in which words it is refused, our own
/// grammar whether it is read as ECMA-262 reads it.
fn read(text: &str) -> Result<Node, Wrong> {
    let ast = ast::parse::Parser::new()
        .parse(text)
        .map_err(|error| Wrong::new(*error.span(), text, &unreadable(error.kind())))?;
    ast::visit(&ast, Subset { pattern: text })?;
    let node = grammar::parse(text).map_err(|fault| {
        let place = |offset: usize| {
            let before = &text[..offset];
            ast::Position { offset, line: 1, column: before.chars().count() + 1 }
        };
        Wrong::new(ast::Span { start: place(fault.at.start), end: place(fault.at.end) }, text, &fault.why)
    })?;
    Translator::new()
        .translate(text, &ast)
        .map_err(|error| Wrong::new(*error.span(), text, &error.kind().to_string()))?;
    if matches::cost(&node) > matches::MOST {
        let message = "the pattern is too large to compile; count less, and bound the whole by `max_length`".to_owned();
        return Err(Wrong { at: ast.span().to_owned(), message });
    }
    Ok(node)
}

#[derive(Debug)]
struct Wrong {
    at: ast::Span,
    message: String,
}

impl Wrong {
    fn new(at: ast::Span, pattern: &str, why: &str) -> Self {
        let place = at.start.column;
        let message = match pattern.get(at.start.offset..at.end.offset).filter(|part| !part.is_empty()) {
            Some(part) => format!("`{part}` at character {place} of the pattern: {why}"),
            None => format!("at character {place} of the pattern: {why}"),
        };
        Self { at, message }
    }

    /// The place itself where the compiler can tell it, otherwise the literal.
    fn within(&self, pattern: &LitStr) -> Span {
        let token = pattern.token();
        let written = token.to_string();
        // Only where no escape stands before the place do offsets in the value and in the source agree.
        let open = written.find('"').map_or(1, |quote| quote + 1);
        if written.get(open..).is_some_and(|rest| rest.starts_with(&pattern.value())) {
            let range = open + self.at.start.offset..open + self.at.end.offset;
            if let Some(span) = token.subspan(range) {
                return span;
            }
        }
        pattern.span()
    }
}

fn unreadable(kind: &ast::ErrorKind) -> String {
    match kind {
        ast::ErrorKind::UnsupportedLookAround => {
            "no look-around; say it with the pattern itself or check it in the tool".into()
        }
        ast::ErrorKind::UnsupportedBackreference => "no back-reference; check it in the tool".into(),
        kind => kind.to_string(),
    }
}

struct Subset<'a> {
    pattern: &'a str,
}

impl Subset<'_> {
    fn refuse(&self, at: &ast::Span, why: &str) -> Result<(), Wrong> {
        Err(Wrong::new(*at, self.pattern, why))
    }

    fn literal(&self, literal: &ast::Literal, in_class: bool) -> Result<(), Wrong> {
        use ast::{HexLiteralKind, LiteralKind, SpecialLiteralKind};
        let c = literal.c;
        match &literal.kind {
            LiteralKind::Verbatim if !in_class && "]{}".contains(c) => {
                self.refuse(&literal.span, &format!("write `\\{c}` for the character itself"))
            }
            LiteralKind::Meta if "^$\\.*+?()[]{}|".contains(c) || (in_class && c == '-') => Ok(()),
            LiteralKind::Meta | LiteralKind::Superfluous => {
                self.refuse(&literal.span, &format!("write `{c}` without the backslash"))
            }
            LiteralKind::Octal | LiteralKind::HexBrace(HexLiteralKind::X | HexLiteralKind::UnicodeLong) => {
                self.refuse(&literal.span, "write `\\u{..}`")
            }
            LiteralKind::HexFixed(HexLiteralKind::UnicodeLong) => self.refuse(&literal.span, "write `\\u{..}`"),
            LiteralKind::Special(SpecialLiteralKind::Bell) => self.refuse(&literal.span, "write `\\x07`"),
            _ => Ok(()),
        }
    }

    fn perl(&self, class: &ast::ClassPerl) -> Result<(), Wrong> {
        let instead = match (&class.kind, class.negated) {
            (ast::ClassPerlKind::Digit, false) => "write `[0-9]`",
            (ast::ClassPerlKind::Digit, true) => "write `[^0-9]`",
            (ast::ClassPerlKind::Space, false) => "write the characters: `[ \\t\\n\\r]`",
            (ast::ClassPerlKind::Space, true) => "write the characters: `[^ \\t\\n\\r]`",
            (ast::ClassPerlKind::Word, false) => "write `[0-9A-Za-z_]`",
            (ast::ClassPerlKind::Word, true) => "write `[^0-9A-Za-z_]`",
        };
        self.refuse(&class.span, &format!("providers do not agree on its characters; {instead}"))
    }

    fn unicode(&self, class: &ast::ClassUnicode) -> Result<(), Wrong> {
        self.refuse(&class.span, "providers do not agree on its characters; write them, or ranges: `[A-Za-zÀ-ÿ]`")
    }
}

impl Visitor for Subset<'_> {
    type Output = ();
    type Err = Wrong;

    fn finish(self) -> Result<(), Wrong> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Wrong> {
        match ast {
            Ast::Flags(flags) => self.refuse(&flags.span, "no inline flags; write the letters: `[Aa]`"),
            Ast::Group(group) => match &group.kind {
                ast::GroupKind::NonCapturing(flags) if !flags.items.is_empty() => {
                    self.refuse(&flags.span, "no inline flags; write the letters: `[Aa]`")
                }
                ast::GroupKind::CaptureName { starts_with_p: true, name } => {
                    self.refuse(&name.span, "write `(?:..)` without a name")
                }
                _ => Ok(()),
            },
            Ast::Assertion(assertion) => match assertion.kind {
                ast::AssertionKind::StartLine | ast::AssertionKind::EndLine => Ok(()),
                ast::AssertionKind::StartText => self.refuse(&assertion.span, "write `^`"),
                ast::AssertionKind::EndText => self.refuse(&assertion.span, "write `$`"),
                _ => self.refuse(&assertion.span, "no word boundaries; name the characters around the place"),
            },
            Ast::Repetition(repetition) if matches!(&*repetition.ast, Ast::Assertion(_)) => {
                self.refuse(&repetition.span, "a place cannot be repeated")
            }
            Ast::Literal(literal) => self.literal(literal, false),
            Ast::ClassPerl(class) => self.perl(class),
            Ast::ClassUnicode(class) => self.unicode(class),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Wrong> {
        match item {
            ast::ClassSetItem::Literal(literal) => self.literal(literal, true),
            ast::ClassSetItem::Range(range) => {
                self.literal(&range.start, true)?;
                self.literal(&range.end, true)
            }
            ast::ClassSetItem::Ascii(class) => {
                self.refuse(&class.span, "no POSIX classes; write the characters: `[A-Za-z]`")
            }
            ast::ClassSetItem::Bracketed(class) => {
                self.refuse(&class.span, "no classes in classes; write the characters side by side")
            }
            ast::ClassSetItem::Perl(class) => self.perl(class),
            ast::ClassSetItem::Unicode(class) => self.unicode(class),
            _ => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, op: &ast::ClassSetBinaryOp) -> Result<(), Wrong> {
        self.refuse(&op.span, "no set operations; write the characters that are left")
    }
}
