//! Lists and sets.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::marker::PhantomData;

use crate::schema::{Array, Kind, Link, Refused, Shape, ToolSchema};

const EMPTY: Option<&str> = Some("[]");

impl<T: ToolSchema> ToolSchema for Vec<T> {
    const SHAPE: Link = Link::to(List::<T>::SHAPE);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl<T: ToolSchema> ToolSchema for VecDeque<T> {
    const SHAPE: Link = Link::to(List::<T>::SHAPE);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl<T: ToolSchema> ToolSchema for [T] {
    const SHAPE: Link = Link::to(List::<T>::SHAPE);
    // Of a box of it.
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl<T: ToolSchema, S> ToolSchema for HashSet<T, S> {
    const SHAPE: Link = Link::to(List::<T>::SET);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl<T: ToolSchema> ToolSchema for BTreeSet<T> {
    const SHAPE: Link = Link::to(List::<T>::SET);
    const DEFAULT: Option<&'static str> = EMPTY;
}

impl<T: ToolSchema, const N: usize> ToolSchema for [T; N] {
    const SHAPE: Link = Link::to(Fixed::<T, N>::SHAPE);
}

/// Holds the shapes of lists of `T`, since a static cannot name `T`.
struct List<T>(PhantomData<T>);

impl<T: ToolSchema> List<T> {
    const SHAPE: &'static Shape =
        &Shape::new(Kind::Array(Array { item: T::SHAPE, min_items: None, max_items: None, unique: false }));
    const SET: &'static Shape =
        &Shape::new(Kind::Array(Array { item: T::SHAPE, min_items: None, max_items: None, unique: true }));
}

struct Fixed<T, const N: usize>(PhantomData<T>);

impl<T: ToolSchema, const N: usize> Fixed<T, N> {
    const SHAPE: &'static Shape = &Shape::new(if N == 0 {
        Kind::Refused(Refused {
            what: "an array of no items, which OpenAI's strict mode refuses",
            help: "leave it out: there is nothing to fill in",
        })
    } else {
        Kind::Array(Array { item: T::SHAPE, min_items: Some(N as u64), max_items: Some(N as u64), unique: false })
    });
}
