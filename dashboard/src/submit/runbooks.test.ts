import { describe, expect, it } from 'vitest';
import { listingProblem, suggestionsFor } from './runbooks';

const runbook = (path: string, title: string) => ({ name: path, path, title, url: `https://x/${path}` });
const known = [runbook('nodes/disk.md', 'Disk is full'), runbook('pods/oom.md', 'Out of memory')];

describe('suggested runbooks', () => {
  it.each([
    ['', ['Disk is full', 'Out of memory']],
    ['MEMORY pods', ['Out of memory']],
    ['https://x/nodes', ['Disk is full']],
    ['network', []],
    ['Look at\nthe disk', []],
  ])('for %j are %j', (text, titles) => {
    expect(suggestionsFor(text, known).map(({ title }) => title)).toEqual(titles);
  });

  it('are limited', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => runbook(`${index}.md`, 'x'));
    expect(suggestionsFor('', many).length).toBe(50);
  });

  it('explain why there are none', () => {
    const listing = { source: 'https://x', runbooks: [], truncated: false, error: 'no access' };
    expect(listingProblem(listing, null)).toBe('Runbooks could not be listed. No access.');
    expect(listingProblem(undefined, new Error('no access'))).toBe(
      'Runbooks could not be listed. No access.',
    );
    expect(listingProblem({ ...listing, error: null }, null)).toBeNull();
    expect(listingProblem(undefined, null)).toBeNull();
  });
});
