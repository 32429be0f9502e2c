//! Collects every mistake, so that one build shows them all.

use std::cell::RefCell;
use std::fmt::Display;
use std::thread;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far. Forgetting to [`check`](Self::check) it panics in our own tests.
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<syn::Error>>>,
}

/// At least one mistake was found and is in these tokens.
pub(crate) struct Failed(pub(crate) TokenStream);

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// A mistake at `at`, which must have at least one token of the user's.
    pub(crate) fn error(&self, at: impl ToTokens, message: impl Display) {
        self.syn_error(syn::Error::new_spanned(at, message));
    }

    /// A mistake that the parser found.
    pub(crate) fn syn_error(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    /// The value, or none with its error noted.
    pub(crate) fn ok<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.syn_error(error)).ok()
    }

    /// How many there are, to see whether there are more later.
    pub(crate) fn count(&self) -> usize {
        self.errors.borrow().as_ref().map_or(0, Vec::len)
    }

    /// All mistakes, if there are any.
    pub(crate) fn check(self) -> Result<(), Failed> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        if errors.is_empty() {
            return Ok(());
        }
        Err(Failed(errors.iter().map(syn::Error::to_compile_error).collect()))
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !thread::panicking() && self.errors.borrow().is_some() {
            panic!("a context with mistakes in it was not looked at");
        }
    }
}
