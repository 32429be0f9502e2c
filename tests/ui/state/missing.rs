use agent_core::{Offer, State, tool, tools};

struct Mailer;
struct Ledger;

/// Sends.
#[tool]
async fn send(mailer: &Mailer) -> u8 {
    let _ = mailer;
    1
}

/// Sends again.
#[tool]
async fn send_again(mailer: &Mailer, ledger: &Ledger) -> u8 {
    let _ = (mailer, ledger);
    1
}

#[derive(State)]
struct App {
    ledger: Ledger,
}

fn needs<S, L: Offer<S>>(_: L, _: &S) {}

fn main() {
    let app = App { ledger: Ledger };
    needs(tools![send, send_again], &app); //~ the agent's state does not hold a `Mailer`
}
