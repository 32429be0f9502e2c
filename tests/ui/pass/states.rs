//! Structs that lend their fields.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use std::sync::Arc;

use agent_core::{Offer, Provide, State, tool, tools};

/// Tells the time.
pub trait Clock: Send + Sync {}
/// Another.
pub trait Mailer {}

/// A wall.
pub struct Wall;
impl Clock for Wall {}
impl Mailer for Wall {}

/// Named fields, behind pointers or not.
#[derive(State)]
#[state(crate = ::agent_core)]
pub struct App {
    /// Itself.
    pub wall: Wall,
    /// Shared.
    pub clock: Arc<dyn Clock>,
    /// Boxed.
    pub mailer: Box<dyn Mailer + Send + Sync>,
    /// Not lent.
    #[state(skip)]
    pub other: Wall,
}

/// Generic.
#[derive(State)]
pub struct Of<T: Send>(#[state(skip)] T, u8)
where
    T: Sync;

/// By hand.
pub struct Hand(Wall);

impl Provide<Wall> for Hand {
    fn provide(&self) -> &Wall {
        &self.0
    }
}

/// Borrows much.
#[tool]
pub async fn much(wall: &Wall, clock: &dyn Clock, mailer: &(dyn Mailer + Send + Sync), again: &Wall) {
    std::future::ready(()).await;
    let _ = (wall, clock, mailer, again);
}

/// Borrows one.
#[tool]
pub async fn one(wall: &Wall) {
    let _ = wall;
}

/// Borrows a number.
#[tool]
pub async fn number(small: &u8) -> u8 {
    *small
}

/// Takes lists that are attached.
pub fn needs<S, L: Offer<S>>(_: L, _: &S) {}

fn main() {
    let app = App { wall: Wall, clock: Arc::new(Wall), mailer: Box::new(Wall), other: Wall };
    needs(tools![much, one], &app);
    let _ = &app.other;
    needs(tools![number], &Of("text", 1));
    let _ = Of("text", 1).0;
    needs(tools![one], &Hand(Wall));
    needs(tools![one], &Wall);
}
