//! Lists of tools, each list a type of its own.

use crate::arguments::{Arguments, Problem};
use crate::tool::{Asking, Callable, Prepared, ToolSpec};

/// One tool of an agent, with its type forgotten.
#[derive(Debug)]
pub struct Offered<S> {
    pub(crate) spec: &'static ToolSpec,
    pub(crate) prepare: fn(&Arguments<'_>) -> Result<Prepared<S>, Problem>,
    // The dispatcher does not ask it yet.
    pub(crate) reconcile: fn(&Arguments<'_>) -> Result<Option<Asking<S>>, Problem>,
}

impl<S> Offered<S> {
    fn of<T: Callable<S>>() -> Self {
        Self { spec: T::SPEC, prepare: T::prepare, reconcile: T::reconcile }
    }
}

/// What `tools![..]` gives: rows of at most sixteen tools.
#[derive(Debug, Clone, Copy)]
pub struct Tools<Rows>(pub Rows);

/// A list of tools that an agent with state `S` can be given.
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
