import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorKind } from '../api/client';
import { failureLook } from './failure';

describe('a failure', () => {
  it.each<[ApiErrorKind, string, string]>([
    ['unauthenticated', 'You are not logged in', 'reload'],
    ['forbidden', 'You have no permission for this', 'none'],
    ['missing', 'This is not here', 'none'],
    ['unreachable', 'Sessions could not be loaded', 'retry'],
    ['unreadable', 'Sessions could not be loaded', 'retry'],
    ['refused', 'Sessions could not be loaded', 'retry'],
  ])('that is %s says: %s', (kind, title, remedy) => {
    const look = failureLook('Sessions', new ApiError(kind, 'the reason is this'));
    expect(look).toMatchObject({ title, remedy });
    expect(look.reason).toContain('The reason is this.');
  });

  it('of the dashboard itself can be tried again', () => {
    expect(failureLook('Sessions', new TypeError('x is undefined')).remedy).toBe('retry');
  });
});
