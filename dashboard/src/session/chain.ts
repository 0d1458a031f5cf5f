/** The chain as cards: each stage with its agents, their status, and why it was run or skipped. Pure. */
import type { Execution, SessionDetail, Stage, WorkStatus } from '../api/types';
import { compactCount } from '../format/count';
import { durationText } from '../format/duration';
import { laterStatus, type SessionStream } from '../live/sessionStream';
import { type StatusLook, workHasEnded, workStatusLook } from '../ui/status';

export interface AgentCard {
  key: string;
  /** Null for an agent that has not started. */
  executionId: string | null;
  name: string;
  look: StatusLook;
  isActive: boolean;
  /** Model, duration and tokens, if known. */
  details: string[];
  error: string | null;
}

export interface StageCard {
  stageId: string;
  name: string;
  number: number;
  look: StatusLook;
  isSkipped: boolean;
  hasStarted: boolean;
  isActive: boolean;
  duration: string | null;
  /** Why it was run or skipped, if it has a condition. */
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
    hasStarted: status !== 'pending' && status !== 'skipped',
    isActive: status === 'active',
    duration: stage.duration_ms === null ? null : durationText(stage.duration_ms),
    reason: stage.routing_reason,
    error: errorOf(status, stage.error_message),
    agents: agentCards(stage, stream, workStatusLook(workHasEnded(status) ? status : 'pending')),
  };
}

/** A cancelled execution has no error: its status is sufficient. */
const errorOf = (status: WorkStatus, message: string | null): string | null =>
  status === 'cancelled' ? null : message;

/** Started agents, then planned agents that have not started, then the synthesis. */
function agentCards(stage: Stage, stream: SessionStream, notStarted: StatusLook): AgentCard[] {
  const started = stage.executions.filter((execution) => execution.kind === 'agent');
  const names = new Set(started.map((execution) => execution.agent_name));
  const waiting = stage.agents.filter((name) => !names.has(name));
  const others = stage.executions.filter((execution) => execution.kind !== 'agent');
  return [
    ...started.map((execution) => agentCard(execution, stream)),
    ...waiting.map((name) => waitingCard(name, notStarted)),
    ...others.map((execution) => agentCard(execution, stream)),
  ];
}

const waitingCard = (name: string, look: StatusLook): AgentCard => ({
  key: name,
  executionId: null,
  name,
  look,
  isActive: false,
  details: [],
  error: null,
});

export function agentCard(execution: Execution, stream: SessionStream): AgentCard {
  const streamed = stream.executions.get(execution.execution_id) ?? execution.status;
  const status = laterStatus(execution.status, streamed);
  return {
    key: execution.execution_id,
    executionId: execution.execution_id,
    name: execution.agent_name,
    look: workStatusLook(status),
    isActive: status === 'active',
    details: detailsOf(execution),
    error: errorOf(status, execution.error_message),
  };
}

function detailsOf({ duration_ms, input_tokens, output_tokens, llm_provider, kind }: Execution): string[] {
  const tokens = input_tokens + output_tokens;
  return [
    ...(kind === 'synthesis' ? ['merges the results'] : []),
    llm_provider,
    ...(duration_ms === null ? [] : [durationText(duration_ms)]),
    ...(tokens === 0 ? [] : [`${compactCount(tokens)} tokens`]),
  ];
}
