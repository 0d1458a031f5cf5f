/** Groups the progress of agents into stages. Pure. */
import type { StageProgress, WorkStatus } from '../api/types';
import { durationText } from '../format/duration';
import { type StatusLook, workStatusLook } from './status';

export interface AgentLine {
  name: string;
  look: StatusLook;
  /** Duration, or `Running…`. */
  time: string;
  error: string | null;
}

export interface StageLine {
  name: string;
  look: StatusLook;
  agents: AgentLine[];
}

/** Agents of the same stage are adjacent. */
export function stageLines(progress: readonly StageProgress[]): StageLine[] {
  const stages: { name: string; members: StageProgress[] }[] = [];
  for (const member of progress) {
    const last = stages.at(-1);
    if (last?.name === member.stage) last.members.push(member);
    else stages.push({ name: member.stage, members: [member] });
  }
  return stages.map(({ name, members }) => ({
    name,
    look: workStatusLook(stageStatus(members.map((member) => member.status))),
    agents: members.map(agentLine),
  }));
}

function agentLine({ agent, status, duration_ms, error }: StageProgress): AgentLine {
  return { name: agent, look: workStatusLook(status), time: timeOf(status, duration_ms), error };
}

function timeOf(status: WorkStatus, durationMs: number | null): string {
  if (status === 'active') return 'Running…';
  return durationMs === null ? '' : durationText(durationMs);
}

/** The first of these statuses among its agents is the status of a stage. */
const precedence: readonly WorkStatus[] = [
  'active',
  'failed',
  'timed_out',
  'cancelled',
  'pending',
  'completed',
  'skipped',
];

function stageStatus(statuses: readonly WorkStatus[]): WorkStatus {
  return precedence.find((status) => statuses.includes(status)) ?? 'pending';
}
