//! One tool on its way into an agent: its schema resolved, its arguments readable.

use std::sync::Arc;

use crate::arguments::{Digest, SchemaError, Validator};
use crate::dispatch::{ByShape, Reads};
use crate::model::ToolDefinition;
use crate::run::PlannedTool;
use crate::schema::{Asked, Link, Profile, Published, Shape, profile, publish, resolve};
use crate::tool::{Body, Offered, ToolFacts};

pub(super) struct Built<S> {
    pub(super) facts: ToolFacts,
    pub(super) reads: Arc<dyn Reads<S>>,
    schema: Schema,
}

enum Schema {
    Shape(&'static Shape),
    /// The text of the host itself.
    #[cfg(feature = "jsonschema")]
    Text(Arc<str>),
}

impl<S: Send + Sync + 'static> Built<S> {
    pub(super) fn of(tool: Offered<S>) -> Result<Self, SchemaError> {
        let facts = tool.facts;
        match tool.body {
            Body::Typed(typed) => {
                let shape = resolve(typed.arguments.get(), facts.strict)?;
                let validator = Validator::new(shape)?;
                let typed = crate::tool::Typed { arguments: Link::to(shape), ..typed };
                let reads = Arc::new(ByShape { validator, tool: typed });
                Ok(Self { facts, reads, schema: Schema::Shape(shape) })
            }
            #[cfg(feature = "jsonschema")]
            Body::Dynamic(body) => Ok(Self { facts, schema: Schema::Text(body.schema_text()), reads: Arc::new(body) }),
        }
    }
}

impl<S> Built<S> {
    pub(super) fn asked(&self) -> Asked<'_> {
        let arguments = match &self.schema {
            Schema::Shape(shape) => Some(*shape),
            #[cfg(feature = "jsonschema")]
            Schema::Text(_) => None,
        };
        Asked { name: &self.facts.name, strict: self.facts.strict, arguments }
    }

    fn published(&self, profile: &Profile) -> Published {
        match &self.schema {
            Schema::Shape(shape) => publish(&self.facts.description, shape, profile),
            #[cfg(feature = "jsonschema")]
            Schema::Text(text) => {
                Published { description: self.facts.description.to_string(), parameters: text.to_string() }
            }
        }
    }

    pub(super) fn definition(&self, profiles: &[&'static Profile]) -> ToolDefinition {
        let published = profiles.iter().map(|profile| (*profile, self.published(profile))).collect();
        ToolDefinition { name: self.facts.name.clone(), strict: self.facts.strict, published }
    }

    pub(super) fn planned(&self) -> PlannedTool {
        let ToolFacts { name, effect, permission, approval, max_calls, .. } = &self.facts;
        let tool = if effect.is_mutating() { PlannedTool::mutating(&**name) } else { PlannedTool::read(&**name) };
        let told = self.published(&profile::OPENAI);
        tool.max_calls(*max_calls).approval(*approval).fingerprint(Digest::of(&[
            told.description.as_bytes(),
            told.parameters.as_bytes(),
            format!("{effect:?} {permission:?} {approval}").as_bytes(),
        ]))
    }
}
