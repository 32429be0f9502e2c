//! `rust_decimal::Decimal`: a number that is read from its shortest digits.

use rust_decimal::Decimal;

use crate::schema::{Kind, Link, Number, Shape, ToolSchema};

static DECIMAL: Shape = Shape::new(Kind::Number(Number::Decimal));

impl ToolSchema for Decimal {
    const SHAPE: Link = Link::to(&DECIMAL);
    const DEFAULT: Option<&'static str> = Some("0");
}
