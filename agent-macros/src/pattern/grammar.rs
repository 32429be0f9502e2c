//! The grammar of what ECMA-262, with its flag `u`, and Rust's `regex` read alike.
//!
//! It holds only what both have and mean the same by, so that nothing else need be known of either.
//!
//! ```text
//! pattern  = branch *("|" branch)
//! branch   = *("^" / "$" / atom [count ["?"]])
//! atom     = "." / character / escape / class / "(" ["?:" / "?<" name ">"] pattern ")"
//! count    = "*" / "+" / "?" / "{" number ["," [number]] "}"
//! class    = "[" ["^"] ["-"] *(member ["-" member]) ["-"] "]"
//! escape   = "\" sign / "\" ("t" / "n" / "r" / "f" / "v") / "\x" 2hex / "\u" 4hex / "\u{" 1*hex "}"
//! ```

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// Signs that are written with a backslash where they stand for themselves.
const SIGNS: &str = "^$\\.*+?()[]{}|";

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Node {
    /// `^`
    Start,
    /// `$`
    End,
    /// `.`
    Any,
    /// A character.
    One(char),
    /// `[..]`
    Class { negated: bool, ranges: Vec<(char, char)> },
    /// One after the other.
    All(Vec<Node>),
    /// One of several.
    Either(Vec<Node>),
    /// Some times over.
    Times { least: u32, most: Option<u32>, node: Box<Node> },
}

/// What is wrong, and where in the text.
pub(super) struct Fault {
    pub(super) at: Range<usize>,
    pub(super) why: String,
}

pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let mut parser = Parser { text, rest: text.char_indices().peekable() };
    let node = parser.pattern()?;
    match parser.rest.peek().copied() {
        None => Ok(node),
        Some((at, sign)) => Err(parser.wrong(at, format!("write `\\{sign}` for the character itself"))),
    }
}

struct Parser<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
}

impl Parser<'_> {
    fn here(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    /// From `from` to here, or the character at `from` if that is here.
    fn wrong(&mut self, from: usize, why: impl Into<String>) -> Fault {
        let next = self.text[from..].chars().next().map_or(from, |sign| from + sign.len_utf8());
        Fault { at: from..self.here().max(next), why: why.into() }
    }

    fn take(&mut self, sign: char) -> bool {
        self.rest.next_if(|(_, next)| *next == sign).is_some()
    }

    fn pattern(&mut self) -> Result<Node, Fault> {
        let mut branches = vec![self.branch()?];
        while self.take('|') {
            branches.push(self.branch()?);
        }
        Ok(Node::Either(branches))
    }

    fn branch(&mut self) -> Result<Node, Fault> {
        let mut nodes = Vec::new();
        while let Some((at, sign)) = self.rest.next_if(|(_, sign)| !matches!(sign, '|' | ')')) {
            let node = match sign {
                '^' => Node::Start,
                '$' => Node::End,
                '.' => Node::Any,
                '(' => self.group(at)?,
                '[' => self.class(at)?,
                '\\' => Node::One(self.escape(at, SIGNS)?),
                '*' | '+' | '?' => {
                    return Err(self.wrong(at, format!("nothing to repeat; write `\\{sign}` for the character itself")));
                }
                '{' | '}' | ']' => {
                    return Err(self.wrong(at, format!("write `\\{sign}` for the character itself")));
                }
                sign => Node::One(sign),
            };
            nodes.push(self.counted(node)?);
        }
        Ok(Node::All(nodes))
    }

    /// After `(`.
    fn group(&mut self, at: usize) -> Result<Node, Fault> {
        if self.take('?') && !self.take(':') {
            let is_name = |name: &str| {
                let mut letters = name.chars();
                letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
                    && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            };
            let mut name = String::new();
            let opened = self.take('<');
            while let Some((_, letter)) = self.rest.next_if(|(_, letter)| *letter != '>' && *letter != ')') {
                name.push(letter);
            }
            if !(opened && self.take('>') && is_name(&name)) {
                return Err(
                    self.wrong(at, "write `(..)`, `(?:..)`, or `(?<name>..)` with a name of letters, digits and `_`")
                );
            }
        }
        let node = self.pattern()?;
        if self.take(')') { Ok(node) } else { Err(self.wrong(at, "the group is not closed")) }
    }

    /// The node with its count, if it has one.
    fn counted(&mut self, node: Node) -> Result<Node, Fault> {
        let Some((at, sign)) = self.rest.next_if(|(_, sign)| matches!(sign, '*' | '+' | '?' | '{')) else {
            return Ok(node);
        };
        let (least, most) = match sign {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => self.braces(at)?,
        };
        if matches!(node, Node::Start | Node::End) {
            return Err(self.wrong(at, "a place cannot be repeated"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(self.wrong(at, "the second number is less than the first"));
        }
        self.take('?');
        if let Some((again, _)) = self.rest.next_if(|(_, sign)| matches!(sign, '*' | '+' | '?' | '{')) {
            return Err(self.wrong(again, "a count cannot be counted; put the part before it into `(?:..)`"));
        }
        Ok(Node::Times { least, most, node: Box::new(node) })
    }

    /// After `{`.
    fn braces(&mut self, at: usize) -> Result<(u32, Option<u32>), Fault> {
        let least = self.number();
        let most = if self.take(',') { self.number() } else { least };
        let open = self.text[at..self.here()].ends_with(',');
        match (least, most) {
            (Some(least), most) if self.take('}') && (most.is_some() || open) => Ok((least, most)),
            _ => Err(self.wrong(at, "write a count as `{2}`, `{2,}` or `{2,5}`, or `\\{` for the character itself")),
        }
    }

    fn number(&mut self) -> Option<u32> {
        let from = self.here();
        while self.rest.next_if(|(_, digit)| digit.is_ascii_digit()).is_some() {}
        let to = self.here();
        self.text[from..to].parse().ok()
    }

    /// After `[`.
    fn class(&mut self, at: usize) -> Result<Node, Fault> {
        let negated = self.take('^');
        let mut ranges = Vec::new();
        if self.take('-') {
            ranges.push(('-', '-'));
        }
        loop {
            let Some((next, sign)) = self.rest.next() else {
                return Err(self.wrong(at, "the class is not closed"));
            };
            match sign {
                ']' if ranges.is_empty() => {
                    return Err(self.wrong(next, "write `\\]` for the character itself; a class is not empty"));
                }
                ']' => return Ok(Node::Class { negated, ranges }),
                '-' if self.take(']') => {
                    ranges.push(('-', '-'));
                    return Ok(Node::Class { negated, ranges });
                }
                _ => {}
            }
            let first = self.member(next, sign)?;
            if matches!(first, '&' | '~') && self.rest.peek().is_some_and(|(_, next)| *next == first) {
                return Err(self.wrong(next, "no set operations; write the character once"));
            }
            let mut ahead = self.rest.clone();
            let is_range =
                ahead.next().is_some_and(|(_, sign)| sign == '-') && ahead.next().is_some_and(|(_, sign)| sign != ']');
            let last = match is_range.then(|| (self.rest.next(), self.rest.next())) {
                Some((_, Some((next, sign)))) => self.member(next, sign)?,
                _ => first,
            };
            if last < first {
                return Err(self.wrong(next, "the range ends before it begins"));
            }
            ranges.push((first, last));
        }
    }

    /// A character of a class.
    fn member(&mut self, at: usize, sign: char) -> Result<char, Fault> {
        match sign {
            '\\' => self.escape(at, "^$\\.*+?()[]{}|-"),
            '[' | '-' => Err(self.wrong(at, format!("in a class write `\\{sign}` for the character itself"))),
            sign => Ok(sign),
        }
    }

    /// After `\`.
    fn escape(&mut self, at: usize, signs: &str) -> Result<char, Fault> {
        let Some((_, letter)) = self.rest.next() else {
            return Err(self.wrong(at, "nothing follows the backslash"));
        };
        let code = match letter {
            't' => return Ok('\t'),
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            'f' => return Ok('\u{c}'),
            'v' => return Ok('\u{b}'),
            'x' => self.hex(2),
            'u' if self.take('{') => {
                let code = self.hex(6);
                code.filter(|_| self.take('}'))
            }
            'u' => self.hex(4),
            sign if signs.contains(sign) => return Ok(sign),
            _ => None,
        };
        code.and_then(char::from_u32)
            .ok_or_else(|| self.wrong(at, "no such character; write `\\xHH`, `\\uHHHH` or `\\u{H..}` with its number"))
    }

    /// Hexadecimal digits: so many, or up to as many within braces.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let from = self.here();
        let mut taken = 0;
        while taken < digits && self.rest.next_if(|(_, digit)| digit.is_ascii_hexdigit()).is_some() {
            taken += 1;
        }
        let to = self.here();
        if digits != 6 && taken != digits {
            return None;
        }
        u32::from_str_radix(&self.text[from..to], 16).ok()
    }
}
