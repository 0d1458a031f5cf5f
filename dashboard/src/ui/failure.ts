/** What a page says when it could not get what it wants to show: by the kind of the error. Pure. */
import { ApiError, type ApiErrorKind } from '../api/client';
import { sentence } from '../format/sentence';

export interface FailureLook {
  title: string;
  reason: string;
  /** What the reader can do: ask again, or begin anew where somebody asks who they are. */
  remedy: 'retry' | 'reload' | 'none';
}

/** `what` is what the page wanted, as a plural that begins a sentence: `Sessions`. */
export function failureLook(what: string, error: Error): FailureLook {
  const reason = sentence(error.message);
  switch (kindOf(error)) {
    case 'unauthenticated':
      return {
        title: 'You are not logged in',
        reason: `${reason} Load the page again to log in, if there is a login in front of this server.`,
        remedy: 'reload',
      };
    case 'forbidden':
      return {
        title: 'You have no permission for this',
        reason: `${reason} Ask whoever runs this server.`,
        remedy: 'none',
      };
    case 'missing':
      return { title: 'This is not here', reason: `${reason} It may have been removed.`, remedy: 'none' };
    case 'unreachable':
    case 'unreadable':
    case 'refused':
      return { title: `${what} could not be loaded`, reason, remedy: 'retry' };
  }
}

function kindOf(error: Error): ApiErrorKind {
  return error instanceof ApiError ? error.kind : 'refused';
}

/** The shell already says that nobody answers; only other faults are the page's to tell. */
export function staleReason(error: Error | null): string | null {
  if (!error) return null;
  return error instanceof ApiError && error.kind === 'unreachable' ? null : error.message;
}
