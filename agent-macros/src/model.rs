//! What was understood of an item, beside the tokens it was understood from.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, Ident, ItemFn, LitStr, Meta, Pat, PatType, Token, Type};

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
    /// serde's `rename`.
    pub(crate) renamed: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) doc: Doc,
    pub(crate) ty: Type,
    pub(crate) arg: Arg,
    /// Whether serde fills in an absent value, and from where.
    pub(crate) serde_default: Option<SerdeDefault>,
    /// Whether its fields stand in place of it.
    pub(crate) flatten: bool,
    pub(crate) cfgs: Vec<Attribute>,
    /// Whether it was read without a mistake, so that more can be asked of it where something else is wrong.
    pub(crate) is_sound: bool,
}

impl Tool {
    /// Reads the function, and takes our words out of it.
    pub(crate) fn read(cx: &Ctxt, attr: TokenStream, mut function: ItemFn) -> Self {
        let attr = ToolAttr::parse(cx, attr);
        stands_once(cx, &function.attrs);
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
        let before = cx.count();
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
        nothing_is_hidden(cx, &param.attrs);
        serde_is_not_asked(cx, &param.attrs);
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
                    renamed: None,
                    aliases: Vec::new(),
                    doc: Doc::of(&param.attrs),
                    ty: (*param.ty).clone(),
                    arg,
                    serde_default: None,
                    flatten: false,
                    cfgs: cfgs.clone(),
                    is_sound: cx.count() == before,
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
        let before = cx.count();
        let serde = FieldAttr::parse(cx, &field.attrs);
        let arg = Arg::parse(cx, &field.attrs);
        if serde.skip {
            if let Some(word) = arg.first_word() {
                cx.error(word, "serde skips this field, so the model does not fill it in");
            }
            return None;
        }
        derived_has_no_words_of_tools(cx, &arg, &serde);
        other_reader_has_other_schema(cx, &arg, &serde);
        let name = bare(&ident);
        Some(Self {
            wire: wire(&arg, serde.rename.get(), &name, case.map(|case| case.field(&name))),
            ident,
            renamed: serde.rename.get().cloned(),
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
            is_sound: cx.count() == before,
        })
    }

    /// What gives the name on the wire: the word of an attribute, or the Rust name.
    pub(crate) fn named_at(&self) -> TokenStream {
        match self.arg.rename.get().or(self.renamed.as_ref()) {
            Some(name) => name.to_token_stream(),
            None => self.ident.to_token_stream(),
        }
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

/// `#[tool]` twice on one function.
fn stands_once(cx: &Ctxt, attrs: &[Attribute]) {
    if let Some(attr) = attrs.iter().find(|attr| is_tool(attr)) {
        cx.error(attr, "`#[tool]` stands on this function already; put all words into one");
    }
}

/// `#[cfg_attr(feature = "eu", arg(minimum = 1))]`, which a macro is handed as it is written.
fn nothing_is_hidden(cx: &Ctxt, attrs: &[Attribute]) {
    for word in attrs.iter().filter_map(hidden) {
        cx.error(
            &word,
            format!(
                "`#[tool]` does not see `{word}` in a `cfg_attr`; write it without the condition, or two parameters, each with its `#[cfg]`"
            ),
        );
    }
}

/// What `#[tool]` should have seen of a `cfg_attr`.
fn hidden(attr: &Attribute) -> Option<Ident> {
    const SEEN: [&str; 4] = ["arg", "doc", "cfg", "serde"];
    if !attr.path().is_ident("cfg_attr") {
        return None;
    }
    let metas = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let words = metas.iter().skip(1).filter_map(|meta| meta.path().get_ident());
    words.into_iter().find(|word| SEEN.iter().any(|seen| *word == seen)).cloned()
}

fn is_tool(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|segment| segment.ident == symbol::TOOL)
}

/// `#[serde(default)]` on a parameter.
fn serde_is_not_asked(cx: &Ctxt, attrs: &[Attribute]) {
    if let Some(attr) = attrs.iter().find(|attr| attr.path().is_ident(symbol::SERDE.0)) {
        cx.error(
            attr,
            "serde does not see the parameters of a tool; write `#[arg(default = ..)]` or `#[arg(rename = \"..\")]`, or take a struct",
        );
    }
}

/// `#[serde(with = "..")]`, `#[serde(with = "..")] #[arg(as_type = Option<String>)]`
fn other_reader_has_other_schema(cx: &Ctxt, arg: &Arg, serde: &FieldAttr) {
    let Some(word) = &serde.with else { return };
    if !arg.as_type.is_given() && !arg.schemars.is_given() {
        cx.error(
            word,
            format!(
                "`{word}` changes what is read, and the schema cannot follow; say what stands on the wire: `#[arg(as_type = String)]`"
            ),
        );
        return;
    }
    let optional = arg.as_type.get().is_some_and(|ty| parameter::last(ty).as_deref() == Some("Option"));
    if optional && !serde.default.is_given() && arg.default.get().is_none() {
        cx.error(
            word,
            format!("with `{word}`, serde does not take an absent field for `None`; add `#[serde(default)]`"),
        );
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
    // What would be a second message of rustc's.
    function.attrs.retain(|attr| !is_tool(attr));
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(param) = input {
            parameter::make_passable(&mut param.ty);
        }
        let attrs = match input {
            FnArg::Receiver(receiver) => &mut receiver.attrs,
            FnArg::Typed(param) => &mut param.attrs,
        };
        attrs.retain(|attr| {
            let path = attr.path();
            !is_doc(attr) && !path.is_ident(symbol::ARG.0) && !path.is_ident(symbol::SERDE.0) && hidden(attr).is_none()
        });
    }
}
