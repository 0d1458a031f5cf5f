import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorKind } from '../api/client';
import { describeFailure } from './failure';

describe('failure', () => {
  it.each<[ApiErrorKind, string, string]>([
    ['unauthenticated', 'You are not signed in', 'reload'],
    ['forbidden', 'Permission denied', 'none'],
    ['not_found', 'Not found', 'none'],
    ['unreachable', 'Sessions could not be loaded', 'retry'],
    ['invalid_response', 'Sessions could not be loaded', 'retry'],
    ['request_failed', 'Sessions could not be loaded', 'retry'],
  ])('of kind %s has the title %s', (kind, title, action) => {
    const look = describeFailure('Sessions', new ApiError(kind, 'the reason is this'));
    expect(look).toMatchObject({ title, action });
    expect(look.reason).toContain('The reason is this.');
  });

  it('of the dashboard itself can be retried', () => {
    expect(describeFailure('Sessions', new TypeError('x is undefined')).action).toBe('retry');
  });
});
