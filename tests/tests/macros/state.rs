//! `#[derive(State)]`.

use std::sync::Arc;

use agent_core::{Offer, Provide, State, tool, tools};

trait Clock: Send + Sync {
    fn year(&self) -> u16;
}

struct Fixed(u16);

impl Clock for Fixed {
    fn year(&self) -> u16 {
        self.0
    }
}

struct Ledger(u8);

#[derive(State)]
struct App {
    ledger: Ledger,
    clock: Arc<dyn Clock + Send + Sync>,
    boxed: Box<u16>,
    #[state(skip)]
    other: Box<u16>,
}

#[derive(State)]
struct Pair<T>(&'static str, Arc<Ledger>, #[state(skip)] T);

/// Tells the time.
#[tool]
async fn now(clock: &dyn Clock, ledger: &Ledger) -> u16 {
    clock.year() + u16::from(ledger.0)
}

/// Needs nothing.
#[tool]
async fn nothing() {}

fn is_offered<S, L: Offer<S>>(_: L, _: &S) {}

#[test]
fn each_field_is_lent_by_its_type_and_pointers_by_what_they_hold() {
    let app = App { ledger: Ledger(1), clock: Arc::new(Fixed(2026)), boxed: Box::new(3), other: Box::new(4) };
    assert_eq!(Provide::<Ledger>::provide(&app).0, 1);
    assert_eq!(Provide::<dyn Clock>::provide(&app).year(), 2026);
    assert_eq!(Provide::<dyn Clock + Send + Sync>::provide(&app).year(), 2026);
    assert_eq!((*Provide::<u16>::provide(&app), *app.other), (3, 4));
    is_offered(tools![now, nothing], &app);
}

#[test]
fn tuple_structs_and_generic_ones_lend_too() {
    let pair = Pair("text", Arc::new(Ledger(2)), 1.5);
    assert_eq!((*Provide::<&'static str>::provide(&pair), pair.2), ("text", 1.5));
    assert_eq!(Provide::<Ledger>::provide(&pair).0, 2);
}

#[test]
fn a_tool_that_borrows_nothing_goes_with_every_state() {
    is_offered(tools![nothing], &());
    is_offered(tools![nothing], &7);
    is_offered((tools![], tools![nothing]), &"text");
}

#[tokio::test]
async fn the_function_stays_callable() {
    assert_eq!(now(&Fixed(2000), &Ledger(26)).await, 2026);
}
