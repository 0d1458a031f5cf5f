import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { emptyServer, errorResponse, json, page, serve, status } from '../testing/server';

const TOKEN_REQUIRED = 'send a token as `Authorization: Bearer tarsy_…`';
const ME = '/api/v1/me';
const known = (role: string) => json({ name: 'ann', role, signed_in: true });
const sessions = { ...emptyServer, '/api/v1/sessions': json(page()) };

describe('sign-in', () => {
  it('replaces every page until a valid token is entered', async () => {
    const responses = {
      ...sessions,
      [ME]: errorResponse(401, TOKEN_REQUIRED),
      '/api/v1/sign-in': errorResponse(401, 'unknown token'),
    };
    const requests = serve(responses);
    open('/');
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeTruthy();
    expect(screen.getByText(/^This server requires a token/)).toBeTruthy();
    expect(screen.queryByRole('status')).toBeNull();
    await userEvent.type(screen.getByLabelText(/^Token/), 'tarsy_1{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('Unknown token.');
    expect(requests.find(({ path }) => path === '/api/v1/sign-in')?.body).toEqual({ token: 'tarsy_1' });

    responses['/api/v1/sign-in'] = known('operator');
    responses[ME] = known('operator');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByText('ann')).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'Sign in' })).toBeNull();
  });

  it('returns after signing out', async () => {
    const responses = { ...sessions, [ME]: known('operator'), '/api/v1/sign-out': status(204) };
    serve(responses);
    open('/');
    const out = await screen.findByRole('button', { name: 'Sign out' });
    responses[ME] = errorResponse(401, TOKEN_REQUIRED);
    await userEvent.click(out);
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeTruthy();
  });

  it('hides actions from a viewer', async () => {
    serve({ ...sessions, [ME]: known('viewer') });
    open('/submit');
    expect(
      await screen.findByText('You have read-only access. This action requires the operator role.'),
    ).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Submit' })).toBeNull());
  });
});
