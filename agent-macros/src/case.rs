//! serde's `rename_all`, for parameters, fields and variants.

/// How names are written on the wire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

const CASES: [(&str, Case); 8] = [
    ("lowercase", Case::Lower),
    ("UPPERCASE", Case::Upper),
    ("PascalCase", Case::Pascal),
    ("camelCase", Case::Camel),
    ("snake_case", Case::Snake),
    ("SCREAMING_SNAKE_CASE", Case::ScreamingSnake),
    ("kebab-case", Case::Kebab),
    ("SCREAMING-KEBAB-CASE", Case::ScreamingKebab),
];

impl Case {
    /// The case that serde calls so.
    pub(crate) fn named(name: &str) -> Option<Self> {
        CASES.iter().find(|(known, _)| *known == name).map(|(_, case)| *case)
    }

    /// All names, for messages.
    pub(crate) fn names() -> Vec<&'static str> {
        CASES.iter().map(|(name, _)| *name).collect()
    }

    /// A field's name, which is in snake case, in this case.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => lower_first(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// A variant's name, which is in Pascal case, in this case.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    name.split('_').map(upper_first).collect()
}

fn upper_first(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

fn lower_first(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + chars.as_str())
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::{CASES, Case};

    #[test]
    fn fields_are_written_as_serde_writes_them() {
        let written: Vec<String> = CASES.iter().map(|(_, case)| case.field("tax_amount")).collect();
        let expected = [
            "tax_amount",
            "TAX_AMOUNT",
            "TaxAmount",
            "taxAmount",
            "tax_amount",
            "TAX_AMOUNT",
            "tax-amount",
            "TAX-AMOUNT",
        ];
        assert_eq!(written, expected);
    }

    #[test]
    fn variants_are_written_as_serde_writes_them() {
        let written: Vec<String> = CASES.iter().map(|(_, case)| case.variant("DarkRed")).collect();
        let expected = ["darkred", "DARKRED", "DarkRed", "darkRed", "dark_red", "DARK_RED", "dark-red", "DARK-RED"];
        assert_eq!(written, expected);
    }

    #[test]
    fn unknown_cases_have_no_name() {
        assert!(Case::named("camelcase").is_none());
    }
}
