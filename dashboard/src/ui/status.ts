/** Label, tone and icon of each status of sessions, stages and agents. Pure. */
import type { SessionStatus, WorkStatus } from '../api/types';
import type { Tone } from './tone';

/** The icon next to the label. It has the same meaning as the color, for users who do not see colors. */
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

const sessionStatuses: Record<SessionStatus, StatusLook> = {
  pending: { label: 'Queued', tone: 'neutral', mark: 'waiting' },
  in_progress: { label: 'Running', tone: 'active', mark: 'running' },
  cancelling: { label: 'Cancelling', tone: 'warning', mark: 'stopping' },
  completed: { label: 'Completed', tone: 'good', mark: 'done' },
  completed_with_errors: { label: 'Completed with errors', tone: 'warning', mark: 'partly' },
  failed: { label: 'Failed', tone: 'bad', mark: 'failed' },
  timed_out: { label: 'Timed out', tone: 'bad', mark: 'late' },
  cancelled: { label: 'Cancelled', tone: 'neutral', mark: 'stopped' },
};

const workStatuses: Record<WorkStatus, StatusLook> = {
  pending: { label: 'Pending', tone: 'neutral', mark: 'waiting' },
  active: { label: 'Running', tone: 'active', mark: 'running' },
  completed: { label: 'Completed', tone: 'good', mark: 'done' },
  failed: { label: 'Failed', tone: 'bad', mark: 'failed' },
  timed_out: { label: 'Timed out', tone: 'bad', mark: 'late' },
  cancelled: { label: 'Cancelled', tone: 'neutral', mark: 'stopped' },
  skipped: { label: 'Skipped', tone: 'neutral', mark: 'skipped' },
};

export const sessionStatusLook = (status: SessionStatus): StatusLook => sessionStatuses[status];

export const workStatusLook = (status: WorkStatus): StatusLook => workStatuses[status];

/** Returns whether the status is final. */
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

/** Returns whether the status of a stage or an execution is final. */
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
