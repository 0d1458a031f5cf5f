/** The chain as cards: each stage with its agents, how they stand, and why it was taken or skipped. Pure. */
import type { Execution, SessionDetail, Stage, WorkStatus } from '../api/types';
import { compactCount } from '../format/count';
import { durationText } from '../format/duration';
import { laterStatus, type SessionStream } from '../live/sessionStream';
import { type StatusLook, workHasEnded, workStatusLook } from '../ui/status';

export interface AgentCard {
  key: string;
  /** Null for an agent that has not begun. */
  executionId: string | null;
  name: string;
  look: StatusLook;
  isActive: boolean;
  /** Model, time and tokens, as far as there are any. */
  remarks: string[];
  error: string | null;
}

export interface StageCard {
  stageId: string;
  name: string;
  number: number;
  look: StatusLook;
  isSkipped: boolean;
  hasBegun: boolean;
  isActive: boolean;
  duration: string | null;
  /** Why it was taken or skipped, if it had a condition. */
  reason: string | null;
  error: string | null;
  agents: AgentCard[];
}

export function stageCards(detail: SessionDetail, stream: SessionStream): StageCard[] {
  return detail.stages.map((stage) => stageCard(stage, stream));
}

function stageCard(stage: Stage, stream: SessionStream): StageCard {
  const status = laterStatus(stage.status, stream.stages.get(stage.stage_id) ?? stage.status);
  return {
    stageId: stage.stage_id,
    name: stage.name,
    number: stage.stage_index + 1,
    look: workStatusLook(status),
    isSkipped: status === 'skipped',
    hasBegun: status !== 'pending' && status !== 'skipped',
    isActive: status === 'active',
    duration: stage.duration_ms === null ? null : durationText(stage.duration_ms),
    reason: stage.routing_reason,
    error: faultOf(status, stage.error_message),
    agents: agentCards(stage, stream, workStatusLook(workHasEnded(status) ? status : 'pending')),
  };
}

/** What was stopped on request says so by its status, and nothing went wrong in it. */
const faultOf = (status: WorkStatus, message: string | null): string | null =>
  status === 'cancelled' ? null : message;

/** Those that have begun, then those of the plan that have not, then who puts their results together. */
function agentCards(stage: Stage, stream: SessionStream, notBegun: StatusLook): AgentCard[] {
  const begun = stage.executions.filter((execution) => execution.kind === 'agent');
  const names = new Set(begun.map((execution) => execution.agent_name));
  const waiting = stage.agents.filter((name) => !names.has(name));
  const others = stage.executions.filter((execution) => execution.kind !== 'agent');
  return [
    ...begun.map((execution) => agentCard(execution, stream)),
    ...waiting.map((name) => waitingCard(name, notBegun)),
    ...others.map((execution) => agentCard(execution, stream)),
  ];
}

const waitingCard = (name: string, look: StatusLook): AgentCard => ({
  key: name,
  executionId: null,
  name,
  look,
  isActive: false,
  remarks: [],
  error: null,
});

export function agentCard(execution: Execution, stream: SessionStream): AgentCard {
  const told = stream.executions.get(execution.execution_id) ?? execution.status;
  const status = laterStatus(execution.status, told);
  return {
    key: execution.execution_id,
    executionId: execution.execution_id,
    name: execution.agent_name,
    look: workStatusLook(status),
    isActive: status === 'active',
    remarks: remarksOn(execution),
    error: faultOf(status, execution.error_message),
  };
}

function remarksOn({ duration_ms, input_tokens, output_tokens, llm_provider, kind }: Execution): string[] {
  const tokens = input_tokens + output_tokens;
  return [
    ...(kind === 'synthesis' ? ['puts the results together'] : []),
    llm_provider,
    ...(duration_ms === null ? [] : [durationText(duration_ms)]),
    ...(tokens === 0 ? [] : [`${compactCount(tokens)} tokens`]),
  ];
}
