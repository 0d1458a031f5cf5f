import { describe, expect, it } from 'vitest';
import type { ActiveSessions } from '../api/types';
import type { HubMessage } from '../live/hub';
import type { SessionProgress } from '../live/wire';
import { gapMessage, progressMessage } from '../testing/messages';
import { page, session } from '../testing/server';
import { applyToActive, applyToPage, needsRefetch } from './live';

const waiting = { ...session({ session_id: 'w', status: 'pending' }), queue_position: 1 };
const busy = session({ session_id: 'b', status: 'in_progress', current_step: 'looking' });
const active: ActiveSessions = { running: [busy], queued: [waiting], running_total: 1, queued_total: 7 };

const statusMessage = (session_id: string, status: SessionProgress['status']): HubMessage => ({
  type: 'session.status',
  channel: 'sessions',
  event_id: 1,
  data: { session_id, status },
});

describe('messages for running and queued sessions', () => {
  it('update the current step', () => {
    const after = applyToActive(active, progressMessage('b'));
    expect(after.running).toMatchObject([{ session_id: 'b', current_step: 'thinking', stages_done: 3 }]);
    expect(after.queued).toEqual(active.queued);
  });

  it('move a session from queued to running', () => {
    const after = applyToActive(active, statusMessage('w', 'in_progress'));
    expect(after.running.map((session) => session.session_id)).toEqual(['b', 'w']);
    expect(after).toMatchObject({ queued: [], running_total: 2, queued_total: 6 });
  });

  it('remove a session that has ended', () => {
    expect(applyToActive(active, statusMessage('b', 'failed'))).toMatchObject({
      running: [],
      running_total: 0,
      queued_total: 7,
    });
  });

  it('move a session back to the queue', () => {
    expect(applyToActive(active, statusMessage('b', 'pending'))).toMatchObject({
      running: [],
      running_total: 0,
      queued_total: 8,
    });
  });

  it('ignore sessions that are not listed', () => {
    expect(applyToActive(active, statusMessage('x', 'in_progress'))).toBe(active);
    expect(applyToActive(active, gapMessage)).toBe(active);
  });

  it('are idempotent', () => {
    const once = applyToActive(active, statusMessage('w', 'in_progress'));
    expect(applyToActive(once, statusMessage('w', 'in_progress'))).toEqual(once);
  });
});

describe('messages for the list', () => {
  it('change one row and keep the identity of the others', () => {
    const before = page(waiting, busy);
    const after = applyToPage(
      before,
      progressMessage('b', { status: 'failed', error: 'no model responded', current_step: null }),
    );
    expect(after.sessions[1]).toMatchObject({
      status: 'failed',
      error_message: 'no model responded',
      current_step: null,
      alert_type: 'PodFailure',
    });
    expect(after.sessions[0]).toBe(before.sessions[0]);
  });

  it('do not change a page without the session', () => {
    const before = page(waiting);
    expect(applyToPage(before, statusMessage('b', 'failed'))).toBe(before);
    expect(applyToPage(before, gapMessage)).toBe(before);
  });
});

describe('needsRefetch', () => {
  it.each<[string, HubMessage, boolean]>([
    ['after a gap', gapMessage, true],
    ['after a reconnect', { type: 'joined', isReconnect: true }, true],
    ['not after the first subscription', { type: 'joined', isReconnect: false }, false],
    ['when the status of a session changes', statusMessage('b', 'completed'), true],
    ['when a session is not listed', progressMessage('x'), true],
    ['not for progress of a listed session', progressMessage('b'), false],
  ])('%s', (_claim, message, expected) => {
    expect(needsRefetch(message, active)).toBe(expected);
  });
});
