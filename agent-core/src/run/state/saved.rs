//! A run that is saved, read again, and taken up.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Phase, Run};
use crate::arguments::Digest;
use crate::run::batch::SlotState;
use crate::run::plan::Plan;
use crate::run::record::Record;

impl Run {
    pub(crate) fn prompt_digest(&self) -> Option<Digest> {
        self.prompt_digest
    }

    pub(crate) fn set_prompt_digest(&mut self, digest: Digest) {
        self.prompt_digest = Some(digest);
    }

    /// Whether the other is a copy of this run at the same step.
    ///
    /// Every step adds to the record, or moves a call of the turn. Texts are not compared but for what people decide on: time
    /// passes where nothing happens, and whoever keeps a copy may write its JSON otherwise.
    pub(crate) fn is_at_the_step_of(&self, other: &Self) -> bool {
        let counts = |run: &Self| {
            let Record { cycles, steps, messages, .. } = &run.record;
            (*cycles, steps.len(), messages.len(), run.extra_calls, run.batches)
        };
        counts(self) == counts(other) && self.pending() == other.pending() && self.phase.is_at(&other.phase)
    }

    /// Begins to drive a run that was saved: whoever ran the calls that were running is gone, and they are to be started
    /// again, mutating ones through their claims.
    pub fn taken_up(&mut self) {
        if let Phase::Tools(batch) = &mut self.phase {
            for index in batch.indexes(|state| *state == SlotState::Running) {
                batch.set(index, SlotState::Ready);
            }
        }
    }

    /// The tools that are not as they were when the run began: changed, gone, or new.
    pub fn changed_tools(&self, plan: &Plan) -> Vec<String> {
        if matches!(self.phase, Phase::Begin) {
            return Vec::new();
        }
        let now = tools_of(plan);
        let gone = self.tools.iter().filter(|tool| !now.contains(tool));
        let new = now.iter().filter(|tool| !self.tools.contains(tool));
        let names: BTreeSet<_> = gone.chain(new).map(|(name, _)| name.clone()).collect();
        names.into_iter().collect()
    }

    /// Whether the run began with a typed answer, which alone is missing.
    pub(crate) fn misses_its_finish_tool(&self, plan: &Plan) -> bool {
        plan.finish.is_none()
            && self.finish.as_ref().is_some_and(|finish| self.changed_tools(plan) == [finish.as_str()])
    }

    /// Whether the parts of a run that was read from elsewhere fit together.
    pub(super) fn check(&self) -> Result<(), String> {
        let calls = self.calls().len();
        let slots = match &self.phase {
            Phase::Check(batch) | Phase::Tools(batch) => Some(batch.slots().len()),
            Phase::Answer(offered) => offered.slots(),
            _ => None,
        };
        if slots.is_some_and(|slots| slots != calls) {
            return Err(format!("its turn has {calls} calls and another number of states"));
        }
        match &self.phase {
            Phase::Check(batch) => batch.check_unchecked()?,
            Phase::Tools(batch) => batch.check_admitted(self.tools.len())?,
            Phase::Answer(offered) => offered.check()?,
            Phase::Begin | Phase::Model(_) | Phase::Ended(_) => {}
        }
        if self.prompt_at >= self.record.messages.len()
            || self.context.as_ref().is_some_and(|context| !context.is_whole())
        {
            return Err("its conversation is cut".to_owned());
        }
        Ok(())
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let run = Self::deserialize(deserializer)?;
        match run.check() {
            Ok(()) => Ok(run),
            Err(what) => Err(serde::de::Error::custom(format!("the saved run is damaged: {what}"))),
        }
    }
}

pub(super) fn tools_of(plan: &Plan) -> Vec<(String, Option<Digest>)> {
    let tools = plan.tools.iter().map(|tool| (tool.name.clone(), tool.fingerprint));
    tools.chain(plan.finish.iter().map(|name| (name.clone(), plan.finish_fingerprint))).collect()
}

pub(super) fn known_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(deserializer)?;
    if version == Run::VERSION {
        Ok(version)
    } else {
        let known = Run::VERSION;
        Err(serde::de::Error::custom(format!("the run was saved in version {version}; this build reads {known}")))
    }
}
