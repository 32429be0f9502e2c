//! Exact counts of tokens, by OpenAI's own tokenisers.

use std::fmt;

use agent_core::TokenCounter;
use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
use tiktoken_rs::{CoreBPE, bpe_for_tokenizer};

/// Counts tokens as a model of OpenAI does, for [`Builder::token_counter`](agent_core::Builder::token_counter).
///
/// What counts is the text alone: the few tokens that a server adds around each message are in its own usage, once it
/// has sent one.
///
/// ```
/// use agent_core::TokenCounter;
/// use agent_openai::Tiktoken;
///
/// # fn main() -> Result<(), agent_openai::UnknownModel> {
/// let tokens = Tiktoken::of("gpt-4o-mini")?;
/// assert_eq!(tokens.count("The invoice is recorded."), 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Tiktoken {
    kind: Tokenizer,
    tokeniser: &'static CoreBPE,
}

impl Tiktoken {
    /// The tokeniser of this model. The first one takes some time to load, which later ones share.
    ///
    /// # Errors
    ///
    /// [`UnknownModel`] where it is not known which tokeniser the model has.
    pub fn of(model: &str) -> Result<Self, UnknownModel> {
        let unknown = || UnknownModel { model: model.to_owned() };
        let kind = get_tokenizer(model).ok_or_else(unknown)?;
        Ok(Self { kind, tokeniser: bpe_for_tokenizer(kind).map_err(|_| unknown())? })
    }
}

impl TokenCounter for Tiktoken {
    fn count(&self, text: &str) -> u64 {
        self.tokeniser.count_ordinary(text) as u64
    }
}

impl fmt::Debug for Tiktoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tiktoken").field(&self.kind).finish()
    }
}

/// It is not known which tokeniser a model has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownModel {
    model: String,
}

impl fmt::Display for UnknownModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no tokeniser is known for the model `{}`; name a model of OpenAI that has the same", self.model)
    }
}

impl std::error::Error for UnknownModel {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_text_that_look_like_signs_of_the_model_are_text() {
        let tokens = Tiktoken::of("gpt-4o").unwrap();
        assert_eq!(tokens.count(""), 0);
        assert!(tokens.count("<|endoftext|>") > 1);
        assert_eq!(format!("{tokens:?}"), "Tiktoken(O200kBase)");
    }

    #[test]
    fn a_model_that_nobody_knows_is_refused_by_name() {
        assert!(Tiktoken::of("llama-9").unwrap_err().to_string().contains("`llama-9`"));
    }
}
