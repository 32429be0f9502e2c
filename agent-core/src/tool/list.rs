//! Lists of tools, each list a type of its own.

use crate::arguments::{Arguments, Problem};
use crate::schema::Link;
use crate::tool::{Asking, Callable, Prepared, ToolFacts};

/// One tool of an agent, with its type forgotten.
#[derive(Debug)]
pub struct Offered<S> {
    pub(crate) facts: ToolFacts,
    pub(crate) body: Body<S>,
}

/// How a tool reads its arguments.
#[derive(Debug)]
pub(crate) enum Body<S> {
    /// By its shape, into the types of its function.
    Typed(Typed<S>),
    /// By its own schema, as JSON.
    #[cfg(feature = "jsonschema")]
    Dynamic(crate::tool::dynamic::Body<S>),
}

/// What `#[tool]` makes.
#[derive(Debug)]
pub(crate) struct Typed<S> {
    pub(crate) arguments: Link,
    pub(crate) prepare: fn(&Arguments<'_>) -> Result<Prepared<S>, Problem>,
    pub(crate) reconcile: fn(&Arguments<'_>) -> Result<Option<Asking<S>>, Problem>,
}

impl<S> Offered<S> {
    fn of<T: Callable<S>>() -> Self {
        let body = Typed { arguments: T::SPEC.arguments, prepare: T::prepare, reconcile: T::reconcile };
        Self { facts: T::SPEC.into(), body: Body::Typed(body) }
    }
}

/// What `tools![..]` gives: rows of at most sixteen tools.
#[derive(Debug, Clone, Copy)]
pub struct Tools<Rows>(pub Rows);

/// A list of tools that an agent with state `S` can be given.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of tools",
    label = "what `.tools(..)` was given is no list of tools",
    note = "list functions that have `#[tool]` by their names: `.tools(tools![calculate_tax, record_invoice])`; two lists are a pair"
)]
pub trait Offer<S> {
    #[doc(hidden)]
    fn offer(&self, into: &mut Vec<Offered<S>>);
}

impl<S> Offer<S> for () {
    fn offer(&self, _: &mut Vec<Offered<S>>) {}
}

/// Two lists, one after the other.
impl<S, A: Offer<S>, B: Offer<S>> Offer<S> for (A, B) {
    fn offer(&self, into: &mut Vec<Offered<S>>) {
        self.0.offer(into);
        self.1.offer(into);
    }
}

/// Up to sixteen tools.
pub trait Row<S> {
    #[doc(hidden)]
    fn offer(&self, into: &mut Vec<Offered<S>>);
}

macro_rules! rows {
    ($($tool:ident)*) => {
        impl<S, $($tool: Callable<S>),*> Row<S> for ($($tool,)*) {
            fn offer(&self, into: &mut Vec<Offered<S>>) {
                let _ = &into;
                $(into.push(Offered::of::<$tool>());)*
            }
        }
        impl<S, $($tool: Row<S>),*> Offer<S> for Tools<($($tool,)*)> {
            fn offer(&self, into: &mut Vec<Offered<S>>) {
                let _ = &into;
                #[allow(non_snake_case)]
                let ($($tool,)*) = &self.0;
                $($tool.offer(into);)*
            }
        }
    };
}

rows!();
rows!(A);
rows!(A B);
rows!(A B C);
rows!(A B C D);
rows!(A B C D E);
rows!(A B C D E F);
rows!(A B C D E F G);
rows!(A B C D E F G H);
rows!(A B C D E F G H I);
rows!(A B C D E F G H I J);
rows!(A B C D E F G H I J K);
rows!(A B C D E F G H I J K L);
rows!(A B C D E F G H I J K L M);
rows!(A B C D E F G H I J K L M N);
rows!(A B C D E F G H I J K L M N O);
rows!(A B C D E F G H I J K L M N O P);
