//! A struct in a list, which is no tool.

use agent_core::tools;

struct Ledger {}

fn main() {
    let _ = tools![Ledger]; //~ `Ledger` is not a tool
}
