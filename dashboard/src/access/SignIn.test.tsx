import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { json, page, quiet, refusal, serve, status } from '../testing/server';

const WANTED = 'send a token as `Authorization: Bearer tarsy_…`';
const ME = '/api/v1/me';
const known = (role: string) => json({ name: 'ann', role, signed_in: true });
const sessions = { ...quiet, '/api/v1/sessions': json(page()) };

describe('signing in', () => {
  it('is asked for in place of every page, and leads to it', async () => {
    const answers = { ...sessions, [ME]: refusal(401, WANTED), '/api/v1/sign-in': refusal(401, 'not known') };
    const asked = serve(answers);
    open('/');
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeTruthy();
    expect(screen.getByText(/^This server wants to know who you are/)).toBeTruthy();
    expect(screen.queryByRole('status')).toBeNull();
    await userEvent.type(screen.getByLabelText(/^Token/), 'tarsy_1{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('Not known.');
    expect(asked.find(({ path }) => path === '/api/v1/sign-in')?.body).toEqual({ token: 'tarsy_1' });

    answers['/api/v1/sign-in'] = known('operator');
    answers[ME] = known('operator');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByText('ann')).toBeTruthy();
    expect(screen.queryByRole('heading', { name: 'Sign in' })).toBeNull();
  });

  it('ends with signing out', async () => {
    const answers = { ...sessions, [ME]: known('operator'), '/api/v1/sign-out': status(204) };
    serve(answers);
    open('/');
    const out = await screen.findByRole('button', { name: 'Sign out' });
    answers[ME] = refusal(401, WANTED);
    await userEvent.click(out);
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeTruthy();
  });

  it('offers a viewer nothing that changes something', async () => {
    serve({ ...sessions, [ME]: known('viewer') });
    open('/submit');
    expect(await screen.findByText('You may read here; this takes the role operator.')).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Submit' })).toBeNull());
  });
});
