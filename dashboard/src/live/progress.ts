/** How far a session is, as the list's channel tells it. Pure. */
import type { ProcessingStatus } from '../api/types';
import type { News } from './hub';

/** The whole of it; null if the news do not say it in full. */
export function progressOf(news: News): ProcessingStatus | null {
  if (news.type !== 'session.progress') return null;
  const { stage_progress, message, progress, current_stage, result, error, ...standing } = news.data;
  if (stage_progress === undefined) return null;
  return {
    alert_id: standing.alert_id,
    session_id: standing.session_id,
    status: standing.status,
    chain_id: standing.chain_id,
    total_stages: standing.total_stages,
    completed_stages: standing.completed_stages,
    stage_progress,
    message: message ?? '',
    progress: progress ?? 0,
    current_stage: current_stage ?? null,
    result: result ?? null,
    error: error ?? null,
  };
}
