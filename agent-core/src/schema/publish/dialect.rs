//! What may be written.

use crate::schema::profile::{Keywords, Optional, Profile};

/// What a text may contain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect<'p> {
    /// Whether an optional field is in a union with null.
    pub(super) nullable: bool,
    /// Whether an optional field is listed as required.
    pub(super) all_required: bool,
    pub(super) keywords: Keywords,
    /// Formats that may be written; none where all may be.
    formats: Option<&'p [&'static str]>,
    /// Whether `uniqueItems`, `not`, `default` and the bounds of wide integers are written.
    pub(super) full: bool,
}

impl<'p> Dialect<'p> {
    pub(super) const FULL: Self = Self {
        nullable: true,
        all_required: false,
        keywords: Keywords {
            bounds: true,
            exclusive_bounds: true,
            multiple_of: true,
            lengths: true,
            pattern: true,
            items: true,
            few_items: true,
        },
        formats: None,
        full: true,
    };

    pub(super) fn of(profile: &'p Profile) -> Self {
        let nullable = profile.optional == Optional::Nullable;
        Self {
            nullable,
            all_required: nullable,
            keywords: profile.keywords,
            formats: Some(profile.formats),
            full: false,
        }
    }

    pub(super) fn takes_format(&self, format: &str) -> bool {
        self.formats.is_none_or(|formats| formats.contains(&format))
    }

    pub(super) fn takes_items(&self, count: u64) -> bool {
        self.keywords.items || (self.keywords.few_items && count <= 1)
    }
}
