import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { healthy, json, page, quiet, serve, silence, unreachable } from '../testing/server';

const sessions = { ...quiet, '/api/v1/sessions': json(page()) };

const connection = async () => (await screen.findByRole('status', { name: 'Connection' })).textContent;

describe('the shell', () => {
  it('says that it is connecting until the server has answered', async () => {
    serve({ ...sessions, '/health': silence });
    open('/');
    expect(await connection()).toBe('Connecting…');
  });

  it('says that it is connected, and to which version', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/');
    expect(await screen.findByText('Connected')).toBeTruthy();
    expect(screen.getByText('0.1.0')).toBeTruthy();
  });

  it('warns that what it shows may be old when nobody answers', async () => {
    serve({ ...sessions, '/health': unreachable });
    open('/');
    expect((await screen.findByRole('alert')).textContent).toContain('The server does not answer.');
    expect(await connection()).toBe('Connection lost');
  });

  it('leads back to the sessions from an address without a page', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/nowhere');
    expect(await screen.findByRole('heading', { name: 'There is no page here' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to the sessions' }).getAttribute('href')).toBe('/');
  });

  it('leads to every page, and marks the one that is open', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/?q=oom');
    const pages = within(await screen.findByRole('navigation', { name: 'Pages' }));
    expect(
      pages.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('aria-current')]),
    ).toEqual([
      ['Sessions', 'page'],
      ['Submit', null],
      ['System', null],
    ]);
  });

  it('lets the keyboard skip to the content', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/');
    const skip = await screen.findByRole('link', { name: 'Skip to the content' });
    expect(skip.getAttribute('href')).toBe(`#${screen.getByRole('main').id}`);
  });

  it('changes the theme on request', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/');
    await userEvent.click(await screen.findByRole('button', { name: /^Theme: as the system/ }));
    expect(await screen.findByRole('button', { name: /^Theme: (dark|light)/ })).toBeTruthy();
    expect(document.documentElement.getAttribute('data-theme')).toMatch(/^(dark|light)$/);
  });
});
