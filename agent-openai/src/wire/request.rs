//! Contents, tools and choices of a request. Messages are put together in `convert`.

use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum Message<'a> {
    System { content: &'a str },
    Developer { content: &'a str },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Image<'a> },
}

#[derive(Serialize)]
pub(crate) struct Image<'a> {
    pub(crate) url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<&'a str>,
}

#[derive(Serialize)]
pub(crate) struct Tool<'a> {
    pub(crate) r#type: &'static str,
    pub(crate) function: Definition<'a>,
}

#[derive(Serialize)]
pub(crate) struct Definition<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) strict: Option<bool>,
    pub(crate) parameters: &'a RawValue,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Choice<'a> {
    Word(&'static str),
    Tool { r#type: &'static str, function: Named<'a> },
}

impl Choice<'_> {
    /// Whether it leaves the model no choice but to call.
    pub(crate) fn forces(&self) -> bool {
        !matches!(self, Self::Word("none"))
    }
}

#[derive(Serialize)]
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
}
