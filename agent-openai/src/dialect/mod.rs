//! How servers that speak the format differ.

mod table;

use std::env;

use agent_core::schema::Profile;
use agent_http::{ConfigError, Provider};

use crate::builder::Builder;

/// How one server's way of speaking the format differs from the others': where it is, what it takes, what it refuses.
///
/// What a server does not take is not sent, whatever the builder was told. `docs/dialects.md` in the repository has the
/// table. A server that is not in it is set up by hand, as the one that it is most like with another
/// [`base_url`](Builder::base_url), or by a changed copy of its row.
///
/// ```
/// use agent_openai::Dialect;
///
/// # fn main() -> Result<(), agent_openai::ConfigError> {
/// let local = Dialect::OLLAMA.builder().model("qwen3").build()?;
/// let groq = Dialect::GROQ.builder().api_key("gsk_..").model("llama-3.3-70b-versatile").build()?;
/// # let _ = (local, groq);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Dialect {
    /// Where its servers are, and how a key goes there.
    pub provider: Provider,
    /// The environment variable with the model's name.
    pub model_variable: &'static str,
    /// The model where none is named.
    pub model: Option<&'static str>,
    /// What tool schemas it takes.
    pub profile: &'static Profile,
    /// Whether `strict` goes with a tool.
    pub strict: bool,
    /// What becomes of `parallel_tool_calls`.
    pub parallel: Parallel,
    /// Whether a stream may be asked for its usage.
    pub stream_usage: bool,
    /// Whether it knows the role `developer`.
    pub developer_role: bool,
    /// Whether a call can be forced; where not, `tool_choice` is left out, and the model is left to choose.
    pub required: bool,
    /// The name under which it takes the most tokens of a reply.
    pub limit: Limit,
}

/// What becomes of `parallel_tool_calls`.
///
/// ```
/// assert_eq!(agent_openai::Dialect::AZURE.parallel, agent_openai::Parallel::Never);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parallel {
    /// It is sent where it was set.
    AsSet,
    /// False is sent with tools, since strict tools do not go with several calls at once.
    Never,
    /// It is never sent: the server does not know it.
    Unknown,
}

/// The name under which a server takes the most tokens of a reply.
///
/// ```
/// assert_eq!(agent_openai::Dialect::MISTRAL.limit, agent_openai::Limit::MaxTokens);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Either, as it was set.
    AsSet,
    /// `max_tokens`, under whichever name it was set.
    MaxTokens,
}

impl Dialect {
    /// A model to be set up in code. Nothing is read from the environment.
    pub fn builder(&'static self) -> Builder {
        Builder::speaking(self)
    }

    /// The same with key, base URL and model from the environment, as far as they are set there.
    ///
    /// ```no_run
    /// let model = agent_openai::Dialect::MISTRAL.from_env()?.model("mistral-large-latest").build()?;
    /// # Ok::<(), agent_openai::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::NotUnicode`] names the variable.
    #[allow(clippy::wrong_self_convention, reason = "it reads as what it does: this dialect, from the environment")]
    pub fn from_env(&'static self) -> Result<Builder, ConfigError> {
        self.from_variables(env::var)
    }

    #[allow(clippy::wrong_self_convention, reason = "as above")]
    pub(crate) fn from_variables(
        &'static self,
        read: impl Fn(&'static str) -> Result<String, env::VarError>,
    ) -> Result<Builder, ConfigError> {
        Builder::from_variables(self, read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_has_variables_of_its_own_and_reads_no_others() {
        let own: [(&'static Dialect, &str, [&str; 3], &str); 10] = [
            (&Dialect::OPENAI, "", ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"], "https://api.openai.com/v1"),
            (
                &Dialect::AZURE,
                "m",
                ["AZURE_OPENAI_API_KEY", "AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_MODEL"],
                "https://mine.openai.azure.com/openai/v1",
            ),
            (
                &Dialect::OPENROUTER,
                "m",
                ["OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "OPENROUTER_MODEL"],
                "https://openrouter.ai/api/v1",
            ),
            (&Dialect::GROQ, "m", ["GROQ_API_KEY", "GROQ_BASE_URL", "GROQ_MODEL"], "https://api.groq.com/openai/v1"),
            (
                &Dialect::DEEPSEEK,
                "m",
                ["DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "DEEPSEEK_MODEL"],
                "https://api.deepseek.com/v1",
            ),
            (
                &Dialect::MISTRAL,
                "m",
                ["MISTRAL_API_KEY", "MISTRAL_BASE_URL", "MISTRAL_MODEL"],
                "https://api.mistral.ai/v1",
            ),
            (
                &Dialect::GEMINI,
                "m",
                ["GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_MODEL"],
                "https://generativelanguage.googleapis.com/v1beta/openai",
            ),
            (&Dialect::OLLAMA, "m", ["", "OLLAMA_BASE_URL", "OLLAMA_MODEL"], "http://localhost:11434/v1"),
            (&Dialect::VLLM, "m", ["", "VLLM_BASE_URL", "VLLM_MODEL"], "http://localhost:8000/v1"),
            (&Dialect::LLAMA_CPP, "", ["", "LLAMA_CPP_BASE_URL", "LLAMA_CPP_MODEL"], "http://localhost:8080/v1"),
        ];
        for (dialect, model, [key, url, name], address) in own {
            let built = |variables: &[(&str, &str)]| {
                let asked = std::cell::RefCell::new(Vec::new());
                let built = dialect
                    .from_variables(|name| {
                        asked.borrow_mut().push(name);
                        let given = variables.iter().find(|(given, _)| *given == name);
                        given.map(|(_, value)| (*value).to_owned()).ok_or(env::VarError::NotPresent)
                    })
                    .unwrap()
                    .build();
                let asked = asked.into_inner();
                let expected: Vec<_> = [key, url, name].into_iter().filter(|variable| !variable.is_empty()).collect();
                assert_eq!(asked, expected);
                built
            };
            // Nothing but what the server cannot do without.
            let mut least = vec![(key, "k")];
            least.extend((!model.is_empty()).then_some((name, model)));
            least.extend(dialect.provider.base_url.is_empty().then_some((url, address)));
            let shown = format!("{:?}", built(&least).unwrap());
            assert!(shown.contains(&format!("server: \"{address}\"")), "{shown}");
            // And all of it.
            let shown = format!("{:?}", built(&[(key, "k"), (url, "http://localhost:1/v1"), (name, "lamp")]).unwrap());
            assert_eq!(shown, r#"OpenAi { model: "lamp", server: "http://localhost:1/v1", .. }"#);
            if !key.is_empty() {
                let error = built(&[(url, address), (name, "lamp")]).unwrap_err().to_string();
                assert!(error.contains(&format!("`{key}`")), "{error}");
            }
        }
    }
}
