/** The content of the progress page. Pure. */
import type { ProcessingStatus } from '../api/types';
import { hasEnded, type StatusLook, sessionStatusLook } from '../ui/status';

export interface ProgressView {
  look: StatusLook;
  hasEnded: boolean;
  /** The current step, or the outcome. */
  message: string;
  percent: number;
  stages: string;
  result: string | null;
  error: string | null;
}

export function progressView(status: ProcessingStatus): ProgressView {
  return {
    look: sessionStatusLook(status.status),
    hasEnded: hasEnded(status.status),
    message: status.message,
    percent: status.progress,
    stages: `${status.ended_stages} of ${status.total_stages} stages`,
    result: status.result,
    error: status.error,
  };
}

/** Returns the polling interval: a fallback for live messages, shorter while they are disconnected. */
export function pollIntervalMs(status: ProcessingStatus | undefined, isLive: boolean): number | false {
  if (status && hasEnded(status.status)) return false;
  return isLive ? 10_000 : 2_000;
}
