/** Reads session progress from messages of the `sessions` channel. Pure. */
import type { ProcessingStatus } from '../api/types';
import type { HubMessage } from './hub';

/** Returns the complete progress, or null if the message does not contain it. */
export function progressOf(update: HubMessage): ProcessingStatus | null {
  if (update.type !== 'session.progress') return null;
  const { stage_progress, message, progress, current_stage, current_agent, result, error, ...state } =
    update.data;
  if (stage_progress === undefined) return null;
  return {
    alert_id: state.alert_id,
    session_id: state.session_id,
    status: state.status,
    chain_id: state.chain_id,
    total_stages: state.total_stages,
    completed_stages: state.completed_stages,
    ended_stages: state.ended_stages,
    stage_progress,
    message: message ?? '',
    progress: progress ?? 0,
    current_stage: current_stage ?? null,
    current_agent: current_agent ?? null,
    result: result ?? null,
    error: error ?? null,
  };
}
