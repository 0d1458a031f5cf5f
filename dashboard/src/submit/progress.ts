/** What the page after submitting shows: waiting, working, or how it ended. Pure. */
import type { ProcessingStatus } from '../api/types';
import { hasEnded, type StatusLook, sessionStatusLook } from '../ui/status';

export interface ProgressView {
  look: StatusLook;
  hasEnded: boolean;
  /** What is going on, or how it ended. */
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
    stages: `${status.completed_stages} of ${status.total_stages} stages`,
    result: status.result,
    error: status.error,
  };
}

/** Live news say it at once; asking is the net below them, closer while nobody tells. */
export function askEveryMs(status: ProcessingStatus | undefined, isLive: boolean): number | false {
  if (status && hasEnded(status.status)) return false;
  return isLive ? 10_000 : 2_000;
}
