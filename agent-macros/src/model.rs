//! What was understood of an item, beside the tokens it was understood from.

use proc_macro2::TokenStream;
use syn::{Attribute, FnArg, Ident, ItemFn, LitStr, Pat, PatType, Type};

use crate::attr::{Access, Arg, FieldAttr, SerdeDefault, ToolAttr, wrong_name};
use crate::case::Case;
use crate::ctxt::Ctxt;
use crate::docs::{Doc, is_doc};
use crate::parameter::{self, Role};
use crate::symbol;

/// An async function that becomes a tool.
pub(crate) struct Tool {
    pub(crate) attr: ToolAttr,
    /// The function as it is emitted: without what only this macro understands.
    pub(crate) function: ItemFn,
    pub(crate) doc: Doc,
    pub(crate) params: Vec<Param>,
}

/// A parameter of a tool.
pub(crate) struct Param {
    /// The `#[cfg]`s that it depends on.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) source: Source,
}

/// Where the value comes from.
pub(crate) enum Source {
    /// The model.
    Model(Box<Field>),
    /// The host's state.
    State(Box<Type>),
    /// The call itself.
    Call,
}

/// A value that the model fills in: a parameter, or a field of a derived struct.
pub(crate) struct Field {
    /// The Rust name, at which rules about the field are reported.
    pub(crate) ident: Ident,
    /// The name on the wire.
    pub(crate) wire: String,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) doc: Doc,
    pub(crate) ty: Type,
    pub(crate) arg: Arg,
    /// Whether serde fills in an absent value, and from where.
    pub(crate) serde_default: Option<SerdeDefault>,
    /// Whether its fields stand in place of it.
    pub(crate) flatten: bool,
    pub(crate) cfgs: Vec<Attribute>,
}

impl Tool {
    /// Reads the function, and takes our words out of it.
    pub(crate) fn read(cx: &Ctxt, attr: TokenStream, mut function: ItemFn) -> Self {
        let attr = ToolAttr::parse(cx, attr);
        let doc = Doc::of(&function.attrs);
        let case = attr.rename_all.get().copied();
        let mut params = Vec::new();
        for input in &function.sig.inputs {
            match input {
                FnArg::Receiver(receiver) => cx.error(
                    receiver,
                    "a tool is a free function and has no `self`; what it needs of the host is borrowed: `ledger: &Ledger`",
                ),
                FnArg::Typed(param) => params.extend(Param::read(cx, param, case)),
            }
        }
        strip(&mut function);
        Self { attr, function, doc, params }
    }

    /// The name that the model calls.
    pub(crate) fn name(&self) -> String {
        match self.attr.name.get() {
            Some(name) => name.value(),
            None => bare(&self.function.sig.ident),
        }
    }

    /// The struct beside the function.
    pub(crate) fn handle(&self) -> &Ident {
        self.attr.handle.get().unwrap_or(&self.function.sig.ident)
    }

    /// Who may call it, if that is said.
    pub(crate) fn access(&self) -> Option<Access> {
        match self.attr.permission.get() {
            Some(role) => Some(Access::Needs(role.clone())),
            None => self.attr.unrestricted.get().map(|()| Access::Open),
        }
    }

    /// The parameters that the model fills.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.params.iter().filter_map(|param| match &param.source {
            Source::Model(field) => Some(&**field),
            _ => None,
        })
    }

    /// The parameter that is all the arguments.
    pub(crate) fn whole(&self) -> Option<&Field> {
        self.fields().find(|field| field.arg.flatten.is_given())
    }

    /// What is wrong with the function's own name as a tool's name.
    pub(crate) fn wrong_own_name(&self) -> Option<String> {
        if self.attr.name.is_given() {
            return None;
        }
        wrong_name(&self.name()).map(|wrong| format!("{wrong}; give it another with `#[tool(name = \"..\")]`"))
    }
}

impl Param {
    fn read(cx: &Ctxt, param: &PatType, case: Option<Case>) -> Option<Self> {
        let ident = match &*param.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => pat.ident.clone(),
            pat => {
                cx.error(
                    pat,
                    "a tool's parameter is a plain name, which the model is shown; take it apart in the body",
                );
                return None;
            }
        };
        let cfgs = cfgs(&param.attrs);
        let role = parameter::role(cx, &param.ty)?;
        if !matches!(role, Role::Model) {
            borrowed_has_no_words(cx, &param.attrs);
        }
        let source = match role {
            Role::Call => Source::Call,
            Role::State(ty) => Source::State(ty),
            Role::Model => {
                let arg = Arg::parse(cx, &param.attrs);
                let name = bare(&ident);
                Source::Model(Box::new(Field {
                    wire: wire(&arg, None, &name, case.map(|case| case.field(&name))),
                    ident,
                    aliases: Vec::new(),
                    doc: Doc::of(&param.attrs),
                    ty: (*param.ty).clone(),
                    arg,
                    serde_default: None,
                    flatten: false,
                    cfgs: cfgs.clone(),
                }))
            }
        };
        Some(Self { cfgs, source })
    }
}

impl Field {
    /// Reads a field of a derived struct; none where serde skips it.
    pub(crate) fn read(cx: &Ctxt, field: &syn::Field, case: Option<Case>, all_default: bool) -> Option<Self> {
        let ident = field.ident.clone()?;
        let serde = FieldAttr::parse(cx, &field.attrs);
        let arg = Arg::parse(cx, &field.attrs);
        if serde.skip {
            if let Some(word) = arg.first_word() {
                cx.error(word, "serde skips this field, so the model does not fill it in");
            }
            return None;
        }
        derived_has_no_words_of_tools(cx, &arg, &serde);
        let name = bare(&ident);
        Some(Self {
            wire: wire(&arg, serde.rename.get(), &name, case.map(|case| case.field(&name))),
            ident,
            aliases: serde.aliases,
            doc: Doc::of(&field.attrs),
            ty: field.ty.clone(),
            arg,
            serde_default: match serde.default.get() {
                Some(default) => Some(*default),
                None => all_default.then_some(SerdeDefault::Made),
            },
            flatten: serde.flatten.is_given(),
            cfgs: Vec::new(),
        })
    }

    /// Whether serde leaves the field out when it reads.
    pub(crate) fn is_skipped(cx: &Ctxt, field: &syn::Field) -> bool {
        FieldAttr::parse(cx, &field.attrs).skip
    }

    /// The type whose shape the value has.
    pub(crate) fn shape_type(&self) -> &Type {
        self.arg.as_type.get().unwrap_or(&self.ty)
    }
}

/// A borrowed parameter is not in the schema.
fn borrowed_has_no_words(cx: &Ctxt, attrs: &[Attribute]) {
    if let Some(attr) = attrs.iter().find(|attr| attr.path().is_ident(symbol::ARG.0)) {
        cx.error(attr, "`#[arg]` is for what the model fills in; a borrowed parameter comes from the host");
    }
}

/// What serde reads is said in serde's words, so that the two cannot differ.
fn derived_has_no_words_of_tools(cx: &Ctxt, arg: &Arg, serde: &FieldAttr) {
    if let Some(word) = arg.rename.word() {
        cx.error(word, "serde must know the name too; write `#[serde(rename = \"..\")]`");
    }
    if let Some(word) = arg.flatten.word() {
        cx.error(word, "serde must know of it too; write `#[serde(flatten)]`");
    }
    if let (true, Some(word)) = (serde.flatten.is_given(), arg.first_word()) {
        cx.error(word, "a flattened field is not a value of its own; put this on the fields of its type");
    }
}

fn wire(arg: &Arg, serde: Option<&LitStr>, name: &str, cased: Option<String>) -> String {
    let given = arg.rename.get().or(serde).map(LitStr::value);
    given.or(cased).unwrap_or_else(|| name.to_owned())
}

/// An identifier without `r#`.
pub(crate) fn bare(ident: &Ident) -> String {
    use syn::ext::IdentExt;
    ident.unraw().to_string()
}

/// The `#[cfg]`s among `attrs`.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect()
}

/// Takes out what rustc does not accept on parameters: documentation, and our attribute.
pub(crate) fn strip(function: &mut ItemFn) {
    for input in &mut function.sig.inputs {
        let attrs = match input {
            FnArg::Receiver(receiver) => &mut receiver.attrs,
            FnArg::Typed(param) => &mut param.attrs,
        };
        attrs.retain(|attr| !is_doc(attr) && !attr.path().is_ident(symbol::ARG.0));
    }
}
