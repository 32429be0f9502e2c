//! Where a walk is.

use super::Report;

/// A place below a parameter; a list on the const stack, from the leaf to the root.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    up: Option<&'a Path<'a>>,
    name: &'a str,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// Into an item, or beside a name.
    Plain,
    /// Into the type of this id.
    Type(u64),
    /// To a field.
    Field { optional: bool },
}

impl<'a> Path<'a> {
    /// The parameter `name`.
    pub(super) const fn root(name: &'a str, optional: bool) -> Self {
        Self { up: None, name, step: Step::Field { optional } }
    }

    pub(super) const fn items<'c>(&'c self) -> Path<'c>
    where
        'a: 'c,
    {
        Path { up: Some(self), name: "[]", step: Step::Plain }
    }

    /// Into fields that stand in place of their type; one of them follows.
    pub(super) const fn in_place<'c>(&'c self) -> Path<'c>
    where
        'a: 'c,
    {
        Path { up: Some(self), name: ".", step: Step::Plain }
    }

    /// Into the type with this id; a field or a variant of it follows.
    pub(super) const fn inside<'c>(&'c self, id: u64) -> Path<'c>
    where
        'a: 'c,
    {
        Path { up: Some(self), name: ".", step: Step::Type(id) }
    }

    pub(super) const fn field<'c>(&'c self, name: &'c str, optional: bool) -> Path<'c>
    where
        'a: 'c,
    {
        Path { up: Some(self), name, step: Step::Field { optional } }
    }

    pub(super) const fn variant<'c>(&'c self, name: &'c str) -> Path<'c>
    where
        'a: 'c,
    {
        Path { up: Some(self), name, step: Step::Plain }
    }

    /// Whether the type of this id is entered on the way here.
    pub(super) const fn is_in(&self, id: u64) -> bool {
        let mut at = self;
        loop {
            if let Step::Type(entered) = at.step
                && entered == id
            {
                return true;
            }
            match at.up {
                Some(up) => at = up,
                None => return false,
            }
        }
    }

    /// Whether the nearest field may be left out.
    pub(super) const fn is_optional(&self) -> bool {
        let mut at = self;
        loop {
            if let Step::Field { optional } = at.step {
                return optional;
            }
            match at.up {
                Some(up) => at = up,
                None => return false,
            }
        }
    }

    /// A mistake here: the path in backticks, for the words that follow.
    pub(super) const fn wrong(&self) -> Report {
        self.write(Report::WRONG.add("`")).add("`")
    }

    const fn write(&self, report: Report) -> Report {
        let report = match self.up {
            Some(up) => up.write(report),
            None => report,
        };
        report.add(self.name)
    }
}
