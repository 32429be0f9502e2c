//! From an offered tool to one that can be called: its schema resolved, its arguments readable.

use std::sync::Arc;

use crate::arguments::{Digest, SchemaError, Validator};
use crate::dispatch::{ByShape, Entry, Schema};
use crate::model::ToolDefinition;
use crate::run::{Plan, PlannedTool};
use crate::schema::{Asked, Link, Profile, profile, resolve};
use crate::tool::{Body, Offered, ToolFacts, Typed};

pub(super) fn entry<S: Send + Sync + 'static>(tool: Offered<S>) -> Result<Entry<S>, SchemaError> {
    let facts = tool.facts;
    match tool.body {
        Body::Typed(typed) => {
            let shape = resolve(typed.arguments.get(), facts.strict)?;
            let validator = Validator::new(shape)?;
            let tool = Typed { arguments: Link::to(shape), ..typed };
            let mutating = facts.effect.is_mutating();
            Ok(Entry { facts, reads: Arc::new(ByShape { validator, tool, mutating }), schema: Schema::Shape(shape) })
        }
        #[cfg(feature = "jsonschema")]
        Body::Dynamic(body) => Ok(Entry { facts, schema: Schema::Text(body.schema_text()), reads: Arc::new(body) }),
    }
}

pub(super) fn asked<S>(tool: &Entry<S>) -> Asked<'_> {
    let ToolFacts { name, strict, .. } = &tool.facts;
    let text = (!strict).then(|| tool.schema.full());
    Asked { name, strict: *strict, arguments: tool.schema.shape(), text }
}

pub(super) fn definition<S>(tool: &Entry<S>, profiles: &[&'static Profile]) -> ToolDefinition {
    let ToolFacts { name, description, strict, .. } = &tool.facts;
    let published = profiles.iter().map(|profile| (*profile, tool.schema.published(description, profile)));
    ToolDefinition::new(name.clone(), *strict, published)
}

/// The size of a tool as a model is told of it.
pub(super) fn size(plan: &Plan, tool: &ToolDefinition) -> u64 {
    let Some(text) = tool.first_published() else { return 0 };
    [&*tool.name, &text.description, &text.parameters].iter().fold(0, |sum, text| sum.saturating_add(plan.size(text)))
}

pub(super) fn planned<S>(tool: &Entry<S>) -> PlannedTool {
    let ToolFacts { name, description, effect, permission, approval, max_calls, .. } = &tool.facts;
    let planned = if effect.is_mutating() { PlannedTool::mutating(&**name) } else { PlannedTool::read(&**name) };
    let told = tool.schema.published(description, &profile::OPENAI);
    planned.max_calls(*max_calls).approval(*approval).fingerprint(Digest::of(&[
        told.description.as_bytes(),
        told.parameters.as_bytes(),
        format!("{effect:?} {permission:?} {approval}").as_bytes(),
    ]))
}
