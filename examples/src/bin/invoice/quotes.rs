//! What `calculateTax` has given in each run, so that an invoice can be held against it.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use agent_core::CallContext;
use rust_decimal::Decimal;

use crate::tax::Tax;

/// Every quote of every run.
///
/// It grows with each run; a service keeps it beside the run and drops it with it.
#[derive(Debug, Default)]
pub(crate) struct Quotes {
    given: Mutex<HashMap<Run, HashSet<Quote>>>,
}

/// Two tenants may give their runs the same id.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Run {
    tenant: String,
    id: String,
}

/// Amounts that belong together. Decimals are equal by value: 1800 is 1800.00.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Quote {
    gross: Decimal,
    tax: Decimal,
}

impl Quotes {
    pub(crate) fn keep(&self, call: &CallContext, tax: &Tax) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.entry(Run::of(call)).or_default().insert(Quote { gross: tax.gross_total, tax: tax.tax_amount });
    }

    /// Whether this gross and this tax were given together, in the call's own run.
    pub(crate) fn gave(&self, call: &CallContext, gross: Decimal, tax: Decimal) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.get(&Run::of(call)).is_some_and(|quotes| quotes.contains(&Quote { gross, tax }))
    }
}

impl Run {
    fn of(call: &CallContext) -> Self {
        Self { tenant: call.caller().tenant().to_owned(), id: call.run_id().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use agent_core::SecurityContext;

    use super::*;

    fn amount(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn a_quote_counts_by_value_as_a_pair_and_only_for_its_tenant() {
        let of = |tenant: &str| CallContext::detached(SecurityContext::new("usr_1", tenant));
        let (ours, theirs) = (of("tenant_1"), of("tenant_2"));
        let quotes = Quotes::default();
        quotes.keep(&ours, &Tax::on(amount("1500"), "UK").unwrap());
        quotes.keep(&ours, &Tax::on(amount("100"), "UK").unwrap());
        assert!(quotes.gave(&ours, amount("1800"), amount("300.0")));
        assert!(!quotes.gave(&ours, amount("1800"), amount("20")), "gross and tax of two quotes");
        assert!(!quotes.gave(&ours, amount("1800.01"), amount("300")));
        assert!(!quotes.gave(&theirs, amount("1800"), amount("300")));
    }
}
