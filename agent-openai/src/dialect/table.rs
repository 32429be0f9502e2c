//! The dialects. Where a server's own pages leave something open, the table takes what cannot fail.

use agent_core::profile;
use agent_http::{KeyHeader, Provider};

use super::{Dialect, Limit, Parallel};

const PROVIDER: Provider = Provider {
    name: "OpenAI",
    api: "a chat-completions API",
    base_url: "https://api.openai.com/v1",
    path: &["chat", "completions"],
    own_host: "api.openai.com",
    key_header: KeyHeader::Bearer,
    headers: &[],
    key_variable: "OPENAI_API_KEY",
    url_variable: "OPENAI_BASE_URL",
    user_agent: concat!("agent-openai/", env!("CARGO_PKG_VERSION")),
};

/// A server of which nothing is taken for granted, and which may have any model behind it.
const PLAIN: Dialect = Dialect {
    provider: PROVIDER,
    model_variable: "OPENAI_MODEL",
    model: None,
    profile: &profile::PORTABLE,
    strict: false,
    parallel: Parallel::AsSet,
    stream_usage: true,
    developer_role: false,
    required: true,
    limit: Limit::AsSet,
};

impl Dialect {
    /// OpenAI's own servers.
    pub const OPENAI: Self =
        Self { model: Some("gpt-4o-mini"), profile: &profile::OPENAI, strict: true, developer_role: true, ..PLAIN };

    /// Azure OpenAI, at the address of one's own resource: `https://{resource}.openai.azure.com/openai/v1`.
    pub const AZURE: Self = Self {
        provider: Provider {
            name: "Azure OpenAI",
            base_url: "",
            own_host: "openai.azure.com",
            key_header: KeyHeader::Named("api-key"),
            key_variable: "AZURE_OPENAI_API_KEY",
            url_variable: "AZURE_OPENAI_BASE_URL",
            ..PROVIDER
        },
        model_variable: "AZURE_OPENAI_MODEL",
        profile: &profile::AZURE,
        strict: true,
        parallel: Parallel::Never,
        developer_role: true,
        ..PLAIN
    };

    /// OpenRouter, with models of every provider.
    pub const OPENROUTER: Self = Self {
        provider: Provider {
            name: "OpenRouter",
            base_url: "https://openrouter.ai/api/v1",
            own_host: "openrouter.ai",
            key_variable: "OPENROUTER_API_KEY",
            url_variable: "OPENROUTER_BASE_URL",
            ..PROVIDER
        },
        model_variable: "OPENROUTER_MODEL",
        ..PLAIN
    };

    /// Groq.
    pub const GROQ: Self = Self {
        provider: Provider {
            name: "Groq",
            base_url: "https://api.groq.com/openai/v1",
            own_host: "api.groq.com",
            key_variable: "GROQ_API_KEY",
            url_variable: "GROQ_BASE_URL",
            ..PROVIDER
        },
        model_variable: "GROQ_MODEL",
        ..PLAIN
    };

    /// DeepSeek. Its strict mode is at another address, and takes less.
    pub const DEEPSEEK: Self = Self {
        provider: Provider {
            name: "DeepSeek",
            base_url: "https://api.deepseek.com/v1",
            own_host: "api.deepseek.com",
            key_variable: "DEEPSEEK_API_KEY",
            url_variable: "DEEPSEEK_BASE_URL",
            ..PROVIDER
        },
        model_variable: "DEEPSEEK_MODEL",
        parallel: Parallel::Unknown,
        limit: Limit::MaxTokens,
        ..PLAIN
    };

    /// Mistral, which refuses fields that it does not know, `stream_options` among them; usage comes without.
    pub const MISTRAL: Self = Self {
        provider: Provider {
            name: "Mistral",
            base_url: "https://api.mistral.ai/v1",
            own_host: "api.mistral.ai",
            key_variable: "MISTRAL_API_KEY",
            url_variable: "MISTRAL_BASE_URL",
            ..PROVIDER
        },
        model_variable: "MISTRAL_MODEL",
        stream_usage: false,
        limit: Limit::MaxTokens,
        ..PLAIN
    };

    /// Gemini, behind its address for this format.
    pub const GEMINI: Self = Self {
        provider: Provider {
            name: "Gemini",
            base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
            own_host: "generativelanguage.googleapis.com",
            key_variable: "GEMINI_API_KEY",
            url_variable: "GEMINI_BASE_URL",
            ..PROVIDER
        },
        model_variable: "GEMINI_MODEL",
        profile: &profile::GEMINI,
        parallel: Parallel::Unknown,
        ..PLAIN
    };

    /// Ollama on this machine, which drops `tool_choice`.
    pub const OLLAMA: Self = Self {
        provider: Provider {
            name: "Ollama",
            base_url: "http://localhost:11434/v1",
            own_host: "",
            key_variable: "",
            url_variable: "OLLAMA_BASE_URL",
            ..PROVIDER
        },
        model_variable: "OLLAMA_MODEL",
        parallel: Parallel::Unknown,
        required: false,
        limit: Limit::MaxTokens,
        ..PLAIN
    };

    /// vLLM on this machine.
    pub const VLLM: Self = Self {
        provider: Provider {
            name: "vLLM",
            base_url: "http://localhost:8000/v1",
            own_host: "",
            key_variable: "",
            url_variable: "VLLM_BASE_URL",
            ..PROVIDER
        },
        model_variable: "VLLM_MODEL",
        ..PLAIN
    };

    /// llama.cpp's server on this machine.
    pub const LLAMA_CPP: Self = Self {
        provider: Provider {
            name: "llama.cpp",
            base_url: "http://localhost:8080/v1",
            own_host: "",
            key_variable: "",
            url_variable: "LLAMA_CPP_BASE_URL",
            ..PROVIDER
        },
        model_variable: "LLAMA_CPP_MODEL",
        // One server has one model, and takes any name for it.
        model: Some("default"),
        limit: Limit::MaxTokens,
        ..PLAIN
    };

    /// All of them.
    pub const ALL: [&'static Self; 10] = [
        &Self::OPENAI,
        &Self::AZURE,
        &Self::OPENROUTER,
        &Self::GROQ,
        &Self::DEEPSEEK,
        &Self::MISTRAL,
        &Self::GEMINI,
        &Self::OLLAMA,
        &Self::VLLM,
        &Self::LLAMA_CPP,
    ];
}
