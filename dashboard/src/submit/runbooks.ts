/** Suggestions for the runbook of an alert. Pure. */
import type { Runbook, Runbooks } from '../api/types';
import { toSentence } from '../format/sentence';

/** A longer list is not read; typing narrows it down. */
const MAX_SUGGESTIONS = 50;

/** Returns the runbooks whose title or path contains every word of the text. A written runbook has none. */
export function suggestionsFor(text: string, runbooks: readonly Runbook[]): Runbook[] {
  if (text.includes('\n')) return [];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const contains = ({ title, path, url }: Runbook) => {
    const searched = `${title}\n${path}\n${url}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
  return runbooks.filter(contains).slice(0, MAX_SUGGESTIONS);
}

/** Says why runbooks cannot be suggested; null if they can or none are configured. */
export function listingProblem(listing: Runbooks | undefined, error: Error | null): string | null {
  const reason = error?.message ?? listing?.error ?? null;
  return reason === null ? null : `Runbooks could not be listed. ${toSentence(reason)}`;
}
