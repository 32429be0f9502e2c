//! The finish tool: how a model gives a typed answer.

use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::arguments::{Arguments, Digest, Invalid, Problem, SchemaError, Validator};
use crate::dispatch::{internal_failure, invalid_arguments};
use crate::guest::quiet;
use crate::model::{ToolCall, ToolDefinition};
use crate::run::Checked;
use crate::schema::{Field, Kind, Link, Object, Profile, Rules, Shape, ToolSchema, full_text, publish};

/// The name of the finish tool, unless the host gives another.
pub(super) const NAME: &str = "finish";

const DESCRIPTION: &str = "Gives the final answer. Call it once, when everything else is done.";

/// A tool whose arguments are the answer.
pub(super) struct Finish<T> {
    pub(super) tool: Arc<FinishTool>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for Finish<T> {
    fn clone(&self) -> Self {
        Self { tool: self.tool.clone(), value: PhantomData }
    }
}

/// The same, whatever the answer's type.
pub(super) struct FinishTool {
    pub(super) definition: ToolDefinition,
    pub(super) shape: &'static Shape,
    validator: Validator,
    reads: fn(&Arguments<'_>) -> Result<(), Problem>,
}

/// Arguments with one field, for an answer that is no object by itself.
struct Wrapped<T>(PhantomData<T>);

impl<T: ToolSchema> Wrapped<T> {
    const SHAPE: &'static Shape = &Shape::new(Kind::Object(Object {
        id: 0,
        name: "Answer",
        doc: "",
        fields: &[Field {
            name: "answer",
            aliases: &[],
            doc: "The answer.",
            shape: T::SHAPE,
            rules: Rules::NONE,
            default: None,
            example: None,
            identity: false,
            flatten: false,
        }],
        generic: false,
    }));
}

fn is_object(shape: Link) -> bool {
    matches!(shape.get().kind, Kind::Object(_))
}

impl<T: ToolSchema + DeserializeOwned> Finish<T> {
    /// The tool for this type of answer.
    pub(super) fn new(name: &str, profiles: &[&'static Profile]) -> Result<Self, SchemaError> {
        let shape = if is_object(T::SHAPE) { T::SHAPE.get() } else { Wrapped::<T>::SHAPE };
        let published: Vec<_> =
            profiles.iter().map(|profile| (*profile, publish(DESCRIPTION, shape, profile))).collect();
        let tool = FinishTool {
            definition: ToolDefinition::new(name.to_owned(), true, published),
            shape,
            validator: Validator::new(shape)?,
            reads: |arguments| read::<T>(arguments).map(drop),
        };
        Ok(Self { tool: Arc::new(tool), value: PhantomData })
    }

    /// The answer in JSON that the tool has taken.
    pub(super) fn value(&self, json: &str) -> Result<T, String> {
        let arguments = self.tool.validator.read(json).map_err(|invalid| format!("{invalid:?}"))?;
        read::<T>(&arguments).map_err(|problem| problem.to_string())
    }
}

fn read<T: ToolSchema + DeserializeOwned>(arguments: &Arguments<'_>) -> Result<T, Problem> {
    if is_object(T::SHAPE) { arguments.whole() } else { arguments.field(0) }
}

impl FinishTool {
    /// Changes when what the model is told of the answer changes.
    pub(super) fn fingerprint(&self) -> Digest {
        Digest::of(&[full_text(self.shape).as_bytes()])
    }

    /// What the gates say of a call of the finish tool.
    pub(super) fn check(&self, call: &ToolCall) -> Checked {
        let refused = match self.validator.read(&call.arguments) {
            // The answer's type is the user's, and so is the code that reads it.
            Ok(arguments) => match quiet(|| (self.reads)(&arguments)) {
                Some(Ok(())) => return Checked::Finish { value: arguments.to_json() },
                Some(Err(problem)) => invalid_arguments(call, &Invalid::Problems(vec![problem])),
                None => {
                    tracing::error!(tool = call.name, call = %call.id, "reading the answer panicked");
                    internal_failure(call)
                }
            },
            Err(invalid) => invalid_arguments(call, &invalid),
        };
        Checked::Refused(Box::new(refused))
    }
}
