//! What one schema adds up to.

use super::Report;
use crate::schema::Profile;

/// Counted as the schema is published: inlined types at each place, definitions once.
#[derive(Clone, Copy)]
pub(super) struct Totals {
    pub(super) properties: usize,
    pub(super) values: usize,
    pub(super) chars: usize,
}

/// A limit that is passed.
#[derive(Clone, Copy)]
pub(super) struct Over {
    most: usize,
    of: &'static str,
}

impl Totals {
    pub(super) const NONE: Self = Self { properties: 0, values: 0, chars: 0 };

    pub(super) const fn over(&self, profile: &Profile) -> Option<Over> {
        if let Some(most) = profile.max_properties
            && self.properties > most
        {
            return Some(Over { most, of: "properties" });
        }
        if let Some(most) = profile.max_enum_values
            && self.values > most
        {
            return Some(Over { most, of: "enum values" });
        }
        if let Some(most) = profile.max_name_chars
            && self.chars > most
        {
            return Some(Over { most, of: "characters of names and enum values" });
        }
        None
    }
}

impl Over {
    /// Adds what is wrong and the way out to a place.
    pub(super) const fn told(self, place: Report, profile: &Profile) -> Report {
        place
            .about(self.of)
            .add(" more than ")
            .number(self.most as i128)
            .add(" ")
            .add(self.of)
            .add(", which ")
            .add(profile.name)
            .add(" refuses; split the tool, or take long lists of values as a `String` and check it in the tool")
    }
}
