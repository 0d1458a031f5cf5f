/** The content of a session card above its stages. Pure. */
import type { Session } from '../api/types';
import { type StatusLook, sessionStatusLook } from '../ui/status';

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
    step: session.current_step ?? 'Running',
    error: session.error_message,
  };
}
