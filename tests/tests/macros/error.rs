//! `#[derive(ToolError)]`.

use std::error::Error;
use std::fmt;

use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum BillingError {
    #[tool(business("CREDIT_LIMIT"))]
    CreditLimit { limit: u64 },
    #[tool(business("CLOSED"))]
    Closed(&'static str),
    #[tool(fatal, not_done, transient)]
    Unreachable,
}

impl fmt::Display for BillingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreditLimit { limit } => write!(f, "over the limit of {limit}"),
            Self::Closed(day) => write!(f, "closed on {day}"),
            Self::Unreachable => f.write_str("unreachable"),
        }
    }
}

impl Error for BillingError {}

#[derive(Debug, ToolError)]
#[tool(fatal)]
struct Broken(u8);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broken by {}", self.0)
    }
}

impl Error for Broken {}

#[test]
fn a_business_error_is_its_code_and_its_text() {
    let error = ToolError::from(BillingError::CreditLimit { limit: 5 });
    let business = error.as_business().unwrap();
    assert_eq!((business.code(), business.message()), ("CREDIT_LIMIT", "over the limit of 5"));
    let error = ToolError::from(BillingError::Closed("Sunday"));
    assert_eq!(error.as_business().unwrap().message(), "closed on Sunday");
}

#[test]
fn a_fault_keeps_its_source_for_the_log() {
    let error = ToolError::from(BillingError::Unreachable);
    assert!(error.is_fatal());
    assert_eq!(error.source().unwrap().to_string(), "unreachable");
    assert_eq!(ToolError::from(Broken(3)).source().unwrap().to_string(), "broken by 3");
}
