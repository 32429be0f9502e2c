//! One model in the place of another.
