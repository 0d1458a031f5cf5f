/** How the statuses of sessions, stages and agents look: a word, a tone and a mark for each. Pure. */
import type { SessionStatus, WorkStatus } from '../api/types';
import type { Tone } from './tone';

/** What is drawn before the word; it tells the same as the tone to those who do not see colours. */
export type StatusMark =
  | 'waiting'
  | 'running'
  | 'stopping'
  | 'done'
  | 'partly'
  | 'failed'
  | 'late'
  | 'stopped'
  | 'skipped';

export interface StatusLook {
  label: string;
  tone: Tone;
  mark: StatusMark;
}

const sessions: Record<SessionStatus, StatusLook> = {
  pending: { label: 'Queued', tone: 'neutral', mark: 'waiting' },
  in_progress: { label: 'Running', tone: 'active', mark: 'running' },
  cancelling: { label: 'Cancelling', tone: 'warning', mark: 'stopping' },
  completed: { label: 'Completed', tone: 'good', mark: 'done' },
  completed_with_errors: { label: 'Completed with errors', tone: 'warning', mark: 'partly' },
  failed: { label: 'Failed', tone: 'bad', mark: 'failed' },
  timed_out: { label: 'Timed out', tone: 'bad', mark: 'late' },
  cancelled: { label: 'Cancelled', tone: 'neutral', mark: 'stopped' },
};

const works: Record<WorkStatus, StatusLook> = {
  pending: { label: 'Waiting', tone: 'neutral', mark: 'waiting' },
  active: { label: 'Running', tone: 'active', mark: 'running' },
  completed: { label: 'Completed', tone: 'good', mark: 'done' },
  failed: { label: 'Failed', tone: 'bad', mark: 'failed' },
  timed_out: { label: 'Timed out', tone: 'bad', mark: 'late' },
  cancelled: { label: 'Cancelled', tone: 'neutral', mark: 'stopped' },
  skipped: { label: 'Skipped', tone: 'neutral', mark: 'skipped' },
};

export const sessionStatusLook = (status: SessionStatus): StatusLook => sessions[status];

export const workStatusLook = (status: WorkStatus): StatusLook => works[status];

/** Whether a session will not move any more. */
export function hasEnded(status: SessionStatus): boolean {
  switch (status) {
    case 'pending':
    case 'in_progress':
    case 'cancelling':
      return false;
    case 'completed':
    case 'completed_with_errors':
    case 'failed':
    case 'timed_out':
    case 'cancelled':
      return true;
  }
}

/** Whether a stage or an agent will not move any more. */
export function workHasEnded(status: WorkStatus): boolean {
  switch (status) {
    case 'pending':
    case 'active':
      return false;
    case 'completed':
    case 'failed':
    case 'timed_out':
    case 'cancelled':
    case 'skipped':
      return true;
  }
}
