//! Choices made by a string of bytes; at its end every choice is the first.

pub(crate) struct Bytes<'b> {
    left: &'b [u8],
}

impl<'b> Bytes<'b> {
    pub(crate) fn new(left: &'b [u8]) -> Self {
        Self { left }
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        match self.left {
            [] => 0,
            [first, rest @ ..] => {
                self.left = rest;
                usize::from(*first) % count
            }
        }
    }

    /// True in one of so many cases.
    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) + 1 == count
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
