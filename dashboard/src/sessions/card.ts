/** What the card of a session under way shows: its stages one below the other, each with its agents. Pure. */
import type { Session, StageProgress, WorkStatus } from '../api/types';
import { durationText } from '../format/duration';
import { type StatusLook, sessionStatusLook, workStatusLook } from '../ui/status';

export interface CardAgent {
  name: string;
  look: StatusLook;
  /** How long it took, or that it is at it. */
  time: string;
  error: string | null;
}

export interface CardStage {
  name: string;
  look: StatusLook;
  agents: CardAgent[];
}

export interface SessionCard {
  id: string;
  title: string;
  chain: string;
  look: StatusLook;
  progress: string;
  step: string;
  error: string | null;
}

export function sessionCard(session: Session): SessionCard {
  return {
    id: session.session_id,
    title: session.alert_type,
    chain: session.chain_id,
    look: sessionStatusLook(session.status),
    progress: `${session.stages_done} of ${session.stages_total} stages`,
    step: session.current_step ?? 'Under way',
    error: session.error_message,
  };
}

/** Agents of the same stage follow each other. */
export function cardStages(progress: readonly StageProgress[]): CardStage[] {
  const stages: { name: string; members: StageProgress[] }[] = [];
  for (const member of progress) {
    const last = stages.at(-1);
    if (last?.name === member.stage) last.members.push(member);
    else stages.push({ name: member.stage, members: [member] });
  }
  return stages.map(({ name, members }) => ({
    name,
    look: workStatusLook(stageStatus(members.map((member) => member.status))),
    agents: members.map(cardAgent),
  }));
}

function cardAgent({ agent, status, duration_ms, error }: StageProgress): CardAgent {
  return { name: agent, look: workStatusLook(status), time: timeOf(status, duration_ms), error };
}

function timeOf(status: WorkStatus, durationMs: number | null): string {
  if (status === 'active') return 'Running…';
  return durationMs === null ? '' : durationText(durationMs);
}

/** What says most about a stage comes first. */
const telling: readonly WorkStatus[] = [
  'active',
  'failed',
  'timed_out',
  'cancelled',
  'pending',
  'completed',
  'skipped',
];

function stageStatus(statuses: readonly WorkStatus[]): WorkStatus {
  return telling.find((status) => statuses.includes(status)) ?? 'pending';
}
