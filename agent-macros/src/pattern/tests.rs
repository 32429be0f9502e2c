use proc_macro2::Span;
use proptest::prelude::*;
use syn::LitStr;

use super::matches::{MOST, cost};
use super::{Pattern, read};

fn is_taken(pattern: &str) -> bool {
    read(pattern).is_ok()
}

#[test]
fn what_both_grammars_read_alike_is_taken() {
    for pattern in [
        "^[A-Z]{2}$",
        "a|b",
        "(?:ab)+?",
        "(?<year>[0-9]{4})",
        r"\.",
        r"[\-\]]",
        r"\u{1F600}",
        r"\x41",
        r"[^\n\t]",
        "",
        ".*",
        "a{2,}",
        r"\{x\}",
        "[-a]",
        "[a-z_-]",
        "[^-]",
        "[a^]",
        "()",
        "(|a)",
        "[a&b]",
        r"[\u0041-\u{5A}]",
        "^[^@]+@[^@]+$",
        "^.{0,1000}$",
        "a/b",
    ] {
        assert!(is_taken(pattern), "{pattern}");
    }
}

#[test]
fn what_only_one_grammar_reads_is_refused() {
    for pattern in [
        r"\d",
        r"[\w]",
        r"\s",
        r"\b",
        r"\B",
        r"\A",
        r"\z",
        "(?i)a",
        "(?i:a)",
        "(?=a)",
        "(?<!a)",
        r"(a)\1",
        "[a-z&&b]",
        "[a--b]",
        "[a~~b]",
        "[a[b]]",
        "[[:alpha:]]",
        r"\pL",
        r"\p{L}",
        r"\p{Greek}",
        r"[\p{Script=Greek}]",
        r"\P{L}",
        "(?P<a>b)",
        "(?<a.b>c)",
        "(?<é>c)",
        "}",
        "]",
        r"\-",
        r"\%",
        r"\a",
        r"\x{41}",
        r"\U00000041",
        r"\u{D800}",
        "^*",
        "(?:a|$)|^+",
        "(",
        ")",
        "[",
        "a{3,1}",
        "a{,3}",
        "a{ 2 }",
        "a{x}",
        "{",
        "a**",
        "a+*",
        "a???",
        "a{2}{3}",
        "a{2}+",
        "[]a]",
        "[^]a]",
        "[]",
        "[z-a]",
        "[a-z-9]",
        "[--a]",
        r"[\b]",
        r"\0",
        r"\cA",
        r"\/",
        r"\",
    ] {
        assert!(!is_taken(pattern), "{pattern}");
    }
}

#[test]
fn a_pattern_that_would_not_compile_is_refused() {
    for pattern in ["(?:a{1000}){1000}", "[^a]{4294967295}", "(?:[é-ü]{200}){200}"] {
        assert!(!is_taken(pattern), "{pattern}");
    }
}

#[test]
fn the_message_names_the_part_and_its_place() {
    let message = |text| Pattern::of(LitStr::new(text, Span::call_site())).err().unwrap().to_string();
    for (pattern, begins) in [
        (r"^ä\d", r"`\d` at character 3 of the pattern: "),
        ("ä[]a]", "`]` at character 3 of the pattern: "),
        ("ä**", "`*` at character 3 of the pattern: "),
        (r"\p{Greek}", r"`\p{Greek}` at character 1 of the pattern: "),
    ] {
        assert!(message(pattern).starts_with(begins), "{}", message(pattern));
    }
}

/// Text that looks like a pattern, and most often is none.
fn noise() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "a", "b", "-", "^", "$", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "\\", "2", ",", "&", "~", "é",
        "\n", "u", "x41", "(?:", "(?<n>", "{2}", "{1,}", "[^", "\\u{61}", "\\u0062", "\\]", "a-b", ":", "<", ">", "=",
        "!", "/", "\\-", " ", "p{L}", "P", "d", "w", "\u{2028}", "\r",
    ]);
    prop::collection::vec(parts, 0..9).prop_map(|parts| parts.concat())
}

/// Patterns of the subset.
fn pattern() -> impl Strategy<Value = String> {
    let member =
        prop::sample::select(vec!["a", "b", "é", "a-c", "\\-", "\\]", "b^", "b&", ".", "\\u{1F600}", "\\n", "0-9"]);
    let class = (any::<bool>(), prop::collection::vec(member, 1..4), any::<bool>()).prop_map(|(not, members, dash)| {
        format!("[{}{}{}]", if not { "^" } else { "" }, if dash { "-" } else { "" }, members.concat())
    });
    let leaf = prop_oneof![
        prop::sample::select(vec!["a", "b", "é", ".", "^", "$", "\\.", "\\x41", "\\u{1F600}", "-", "/", "\\n", ""])
            .prop_map(str::to_owned),
        class,
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner, prop::sample::select(vec!["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{1,2}?"]))
                .prop_map(|(part, count)| format!("({part}){count}")),
        ]
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let letter = prop::sample::select(vec![
        'a', 'b', 'c', 'A', 'é', '.', '-', '^', ']', '&', '\n', '\r', '\u{2028}', '😀', '1', '/',
    ]);
    prop::collection::vec(prop::collection::vec(letter, 0..6).prop_map(|text| text.into_iter().collect()), 1..8)
}

/// As the runtime compiles it.
fn by_regex(pattern: &str) -> Option<regex::Regex> {
    let (mut escaped, mut in_class) = (false, false);
    let mut out = String::new();
    for sign in pattern.chars() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '.' if !in_class => {
                out.push_str(r"[^\n\r\u{2028}\u{2029}]");
                continue;
            }
            _ => {}
        }
        out.push(sign);
    }
    regex::Regex::new(&out).ok()
}

fn agree(pattern: &str, texts: &[String]) -> Result<(), TestCaseError> {
    let Ok(ours) = Pattern::of(LitStr::new(pattern, Span::call_site())) else { return Ok(()) };
    let Ok(theirs) = regress::Regex::with_flags(pattern, "u") else {
        return Err(TestCaseError::fail(format!("ECMA-262 does not read {pattern:?}")));
    };
    let Some(at_run_time) = by_regex(pattern) else {
        return Err(TestCaseError::fail(format!("`regex` does not read {pattern:?}")));
    };
    for text in texts {
        let expected = theirs.find(text).is_some();
        prop_assert_eq!(ours.matches(text), expected, "{:?} by our own matcher in {:?}", pattern, text);
        prop_assert_eq!(at_run_time.is_match(text), expected, "{:?} by `regex` in {:?}", pattern, text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_means_the_same_in_ecma_262(pattern in noise(), texts in texts()) {
        agree(&pattern, &texts)?;
    }

    #[test]
    fn patterns_of_the_subset_are_taken_and_mean_the_same_in_ecma_262(pattern in pattern(), texts in texts()) {
        prop_assert!(is_taken(&pattern), "{:?}", read(&pattern).err().map(|wrong| wrong.message));
        agree(&pattern, &texts)?;
    }
}

#[test]
fn what_costs_no_more_than_is_allowed_compiles() {
    for part in ["a", ".", "[a-z]", "[^a]", "[é-ü]", "[aceg😀-😄é-ü]", "(?:a|b|é)", "(?:a?)", "(?:.*x)", "😀"]
    {
        let mut times = 1_u32;
        while cost(&read(&format!("{part}{{{times}}}")).unwrap()) < MOST / 2 - 100 {
            times += 1;
        }
        for times in [times, times * 2 - 40] {
            let pattern = format!("^{part}{{0,{times}}}$");
            if is_taken(&pattern) {
                assert!(by_regex(&pattern).is_some(), "{pattern}");
            }
        }
        assert!(is_taken(&format!("{part}{{{times}}}")));
    }
}
