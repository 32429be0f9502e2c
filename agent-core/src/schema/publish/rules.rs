//! The constraints of a value: as keywords where the dialect takes them, else in words.

use super::dialect::Dialect;
use crate::arguments::{Tree, parse};
use crate::schema::{Array, Bound, Integer, Number, Rules, Text, words};

/// Keywords of a schema.
pub(super) type Keywords = Vec<(std::borrow::Cow<'static, str>, Tree<'static>)>;

/// The least bound of a type that goes without saying: models do not come near it.
const FAR: i128 = i32::MAX as i128;

/// A numeric rule: whether its keyword may be written, the keyword, its bound, its words.
type Row = (bool, &'static str, Option<Bound>, fn(&Bound) -> String);

/// Collects the constraints of one value.
pub(super) struct Constraints<'d> {
    dialect: &'d Dialect<'d>,
    pub(super) keywords: Keywords,
    pub(super) notes: Vec<String>,
}

impl<'d> Constraints<'d> {
    pub(super) fn new(dialect: &'d Dialect<'d>) -> Self {
        Self { dialect, keywords: Vec::new(), notes: Vec::new() }
    }

    /// One constraint: the keyword where it may be written, else the words.
    fn put(&mut self, taken: bool, keyword: &'static str, value: Tree<'static>, words: impl FnOnce() -> String) {
        if taken {
            self.keywords.push((keyword.into(), value));
        } else {
            self.notes.push(words());
        }
    }

    pub(super) fn integer(&mut self, integer: &Integer, rules: &Rules) {
        self.ranged(integer.min, integer.max, rules);
        if !integer.zero && integer.min <= 0 {
            let zero = Tree::Object(vec![("const".into(), Tree::Int(0))]);
            self.put(self.dialect.full, "not", zero, || words::NOT_ZERO.to_owned());
        }
    }

    /// The bounds of a type, where those of the field are not stricter, and the field's rules.
    fn ranged(&mut self, min: i128, max: i128, rules: &Rules) {
        let below = |bound: Option<Bound>| bound.is_none_or(|bound| bound.float < min as f64);
        let above = |bound: Option<Bound>| bound.is_none_or(|bound| bound.float > max as f64);
        if below(rules.minimum) && below(rules.exclusive_minimum) {
            self.own_bound("minimum", min, "at least");
        }
        if above(rules.maximum) && above(rules.exclusive_maximum) {
            self.own_bound("maximum", max, "at most");
        }
        self.numeric(&Rules {
            minimum: rules.minimum.filter(|bound| !below(Some(*bound))),
            maximum: rules.maximum.filter(|bound| !above(Some(*bound))),
            ..*rules
        });
    }

    /// A bound of the type itself. Those of 64 bits are for the full text only: servers read them as floats.
    fn own_bound(&mut self, keyword: &'static str, bound: i128, words: &str) {
        let value = match (i64::try_from(bound), u64::try_from(bound)) {
            (Ok(bound), _) => Tree::Int(bound),
            (_, Ok(bound)) => Tree::Uint(bound),
            _ => return,
        };
        let wide = bound.unsigned_abs() > u128::from(u32::MAX);
        if self.dialect.full || (self.dialect.keywords.bounds && !wide) {
            self.keywords.push((keyword.into(), value));
        } else if bound.abs() < FAR {
            self.notes.push(format!("{words} {bound}"));
        }
    }

    pub(super) fn number(&mut self, number: Number, rules: &Rules) {
        match number {
            Number::Seconds => {
                self.notes.push(words::IN_SECONDS.to_owned());
                self.ranged(0, i128::from(u64::MAX), rules);
            }
            Number::Decimal => {
                self.numeric(rules);
                self.notes.push(words::DECIMAL.to_owned());
            }
            Number::F32 | Number::F64 | Number::Any => self.numeric(rules),
        }
    }

    fn numeric(&mut self, rules: &Rules) {
        let keywords = self.dialect.keywords;
        let rows: [Row; 5] = [
            (keywords.bounds, "minimum", rules.minimum, words::minimum),
            (keywords.exclusive_bounds, "exclusiveMinimum", rules.exclusive_minimum, words::exclusive_minimum),
            (keywords.bounds, "maximum", rules.maximum, words::maximum),
            (keywords.exclusive_bounds, "exclusiveMaximum", rules.exclusive_maximum, words::exclusive_maximum),
            (keywords.multiple_of, "multipleOf", rules.multiple_of, words::multiple_of),
        ];
        for (taken, keyword, bound, words) in rows {
            if let Some(bound) = bound {
                let value = parse(bound.text).map_or(Tree::Float(bound.float), Tree::into_owned);
                self.put(taken, keyword, value, || words(&bound));
            }
        }
    }

    pub(super) fn text(&mut self, text: &Text, rules: &Rules) {
        let (least, most) = words::length_limits(text, rules);
        let takes = self.dialect.keywords.lengths;
        self.limits(least, most, ("minLength", "maxLength"), "character", |_| takes);
        if let Some(pattern) = rules.pattern {
            let taken = self.dialect.keywords.pattern;
            self.put(taken, "pattern", Tree::Str(pattern.into()), || words::pattern(pattern));
        }
        for (index, format) in rules.format.into_iter().chain(text.format).enumerate() {
            let taken = index == 0 && self.dialect.takes_format(format);
            self.put(taken, "format", Tree::Str(format.into()), || words::format(format));
        }
        self.notes.extend(text.words.map(str::to_owned));
    }

    pub(super) fn array(&mut self, array: &Array, rules: &Rules) {
        let (least, most) = words::item_limits(array, rules);
        let dialect = self.dialect;
        self.limits(least, most, ("minItems", "maxItems"), "item", |count| dialect.takes_items(count));
        if array.unique {
            self.put(self.dialect.full, "uniqueItems", Tree::Bool(true), || words::UNIQUE.to_owned());
        }
    }

    fn limits(
        &mut self,
        least: Option<u64>,
        most: Option<u64>,
        (least_word, most_word): (&'static str, &'static str),
        noun: &str,
        takes: impl Fn(u64) -> bool,
    ) {
        let is_lower_taken = takes(least.unwrap_or(0));
        // `few_items` is about `minItems` only; a dialect that takes all limits takes any number.
        let is_upper_taken = takes(u64::MAX);
        if let (Some(least), true, false, false) = (least, least == most, is_lower_taken, is_upper_taken) {
            self.notes.push(format!("exactly {}", words::count(least, noun)));
            return;
        }
        if let Some(least) = least {
            self.put(is_lower_taken, least_word, number(least), || format!("at least {}", words::count(least, noun)));
        }
        if let Some(most) = most {
            self.put(is_upper_taken, most_word, number(most), || format!("at most {}", words::count(most, noun)));
        }
    }
}

fn number(count: u64) -> Tree<'static> {
    i64::try_from(count).map_or(Tree::Uint(count), Tree::Int)
}
