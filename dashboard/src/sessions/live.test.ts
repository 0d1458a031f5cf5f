import { describe, expect, it } from 'vitest';
import type { ActiveSessions } from '../api/types';
import type { News } from '../live/hub';
import type { SessionProgress } from '../live/wire';
import { gap, progressed } from '../testing/news';
import { page, session } from '../testing/server';
import { activeAfter, asksForLists, pageAfter } from './live';

const waiting = session({ session_id: 'w', status: 'pending' });
const busy = session({ session_id: 'b', status: 'in_progress', current_step: 'looking' });
const active: ActiveSessions = { running: [busy], queued: [waiting], running_total: 1, queued_total: 7 };

const moved = (session_id: string, status: SessionProgress['status']): News => ({
  type: 'session.status',
  channel: 'sessions',
  event_id: 1,
  data: { session_id, status },
});

describe('news for what runs and waits', () => {
  it('tell what a session does now', () => {
    const after = activeAfter(active, progressed('b'));
    expect(after.running).toMatchObject([{ session_id: 'b', current_step: 'thinking', stages_done: 3 }]);
    expect(after.queued).toEqual(active.queued);
  });

  it('move a session from the queue to work', () => {
    const after = activeAfter(active, moved('w', 'in_progress'));
    expect(after.running.map((session) => session.session_id)).toEqual(['b', 'w']);
    expect(after).toMatchObject({ queued: [], running_total: 2, queued_total: 6 });
  });

  it('take a session away that has ended', () => {
    expect(activeAfter(active, moved('b', 'failed'))).toMatchObject({
      running: [],
      running_total: 0,
      queued_total: 7,
    });
  });

  it('put a session back that nobody works on any more', () => {
    expect(activeAfter(active, moved('b', 'pending'))).toMatchObject({
      running: [],
      running_total: 0,
      queued_total: 8,
    });
  });

  it('change nothing about a session that is not there', () => {
    expect(activeAfter(active, moved('x', 'in_progress'))).toBe(active);
    expect(activeAfter(active, gap)).toBe(active);
  });

  it('are the same when they come twice', () => {
    const once = activeAfter(active, moved('w', 'in_progress'));
    expect(activeAfter(once, moved('w', 'in_progress'))).toEqual(once);
  });
});

describe('news for the list', () => {
  it('change one row and leave the others as they are', () => {
    const before = page(waiting, busy);
    const after = pageAfter(
      before,
      progressed('b', { status: 'failed', error: 'no model answered', current_step: null }),
    );
    expect(after.sessions[1]).toMatchObject({
      status: 'failed',
      error_message: 'no model answered',
      current_step: null,
      alert_type: 'PodFailure',
    });
    expect(after.sessions[0]).toBe(before.sessions[0]);
  });

  it('leave a page alone that they are not about', () => {
    const before = page(waiting);
    expect(pageAfter(before, moved('b', 'failed'))).toBe(before);
    expect(pageAfter(before, gap)).toBe(before);
  });
});

describe('the lists are read again', () => {
  it.each<[string, News, boolean]>([
    ['after a gap', gap, true],
    ['when the page was away', { type: 'joined', again: true }, true],
    ['not when it has just come', { type: 'joined', again: false }, false],
    ['when a session began or ended', moved('b', 'completed'), true],
    ['when a session is new', progressed('x'), true],
    ['not for every step', progressed('b'), false],
  ])('%s', (_claim, news, expected) => {
    expect(asksForLists(news, active)).toBe(expected);
  });
});
