//! The finish tool: how a model gives a typed answer.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;

use crate::arguments::{Arguments, Digest, Invalid, Problem, SchemaError, Validator};
use crate::dispatch::{internal_failure, invalid_arguments};
use crate::guest::{Theirs, quiet};
use crate::model::{ToolCall, ToolDefinition};
use crate::run::Checked;
use crate::schema::{Field, Kind, Link, Object, Profile, Rules, Shape, ToolSchema, full_text, publish};

/// The name of the finish tool, unless the host gives another.
pub(super) const NAME: &str = "finish";

const DESCRIPTION: &str = "Gives the final answer. Call it once, when everything else is done.";

/// A tool whose arguments are the answer.
pub(super) struct Finish<T> {
    pub(super) tool: Arc<FinishTool>,
    kept: Kept<T>,
}

/// The answer that was read last with its JSON, so that it is not read from it again.
type Kept<T> = Arc<Mutex<Option<(String, Theirs<T>)>>>;

impl<T> Clone for Finish<T> {
    fn clone(&self) -> Self {
        Self { tool: self.tool.clone(), kept: self.kept.clone() }
    }
}

/// The same, whatever the answer's type.
pub(super) struct FinishTool {
    pub(super) definition: ToolDefinition,
    pub(super) shape: &'static Shape,
    validator: Validator,
    reads: Box<ReadsAnswer>,
}

/// Reads the answer, keeps it, and gives its JSON.
type ReadsAnswer = dyn Fn(&Arguments<'_>) -> Result<String, Problem> + Send + Sync;

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

impl<T: ToolSchema + DeserializeOwned + Send + 'static> Finish<T> {
    /// The tool for this type of answer.
    pub(super) fn new(name: &str, profiles: &[&'static Profile]) -> Result<Self, SchemaError> {
        let shape = if is_object(T::SHAPE) { T::SHAPE.get() } else { Wrapped::<T>::SHAPE };
        let published: Vec<_> =
            profiles.iter().map(|profile| (*profile, publish(DESCRIPTION, shape, profile))).collect();
        let kept = Kept::default();
        let keeps = kept.clone();
        let tool = FinishTool {
            definition: ToolDefinition::new(name.to_owned(), true, published),
            shape,
            validator: Validator::new(shape)?,
            reads: Box::new(move |arguments| {
                let value = read::<T>(arguments)?;
                let json = arguments.to_json();
                keep(&keeps, json.clone(), value);
                Ok(json)
            }),
        };
        Ok(Self { tool: Arc::new(tool), kept })
    }

    /// The answer in JSON that the tool has taken: as it was read then, or read anew where the run was taken up since.
    pub(super) fn value(&self, json: &str) -> Result<T, String> {
        let kept = lock(&self.kept).take_if(|(kept, _)| kept == json);
        if let Some(value) = kept.and_then(|(_, value)| value.into_inner()) {
            return Ok(value);
        }
        let arguments = self.tool.validator.read(json).map_err(|invalid| format!("{invalid:?}"))?;
        read::<T>(&arguments).map_err(|problem| problem.to_string())
    }
}

impl<T> Finish<T> {
    /// Keeps an answer that was looked at, for whoever asks next.
    pub(super) fn keep(&self, json: &str, value: T) {
        keep(&self.kept, json.to_owned(), value);
    }
}

fn keep<T>(kept: &Kept<T>, json: String, value: T) {
    let former = lock(kept).replace((json, Theirs::new(value)));
    // Not under the lock: its drop is the user's code.
    drop(former);
}

fn lock<T>(kept: &Kept<T>) -> MutexGuard<'_, Option<(String, Theirs<T>)>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
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
                Some(Ok(value)) => return Checked::Finish { value },
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
