import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { open } from '../testing/open';
import { emptyServer, healthy, json, noResponse, page, serve, unreachable } from '../testing/server';

const sessions = { ...emptyServer, '/api/v1/sessions': json(page()) };

const connection = async () => (await screen.findByRole('status', { name: 'Connection' })).textContent;

describe('shell', () => {
  it('shows Connecting until the first health response', async () => {
    serve({ ...sessions, '/health': noResponse });
    open('/');
    expect(await connection()).toBe('Connecting…');
  });

  it('shows Connected and the server version', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/');
    expect(await screen.findByText('Connected')).toBeTruthy();
    expect(screen.getByText('0.1.0')).toBeTruthy();
  });

  it('warns about outdated data when the server is unreachable', async () => {
    serve({ ...sessions, '/health': unreachable });
    open('/');
    expect((await screen.findByRole('alert')).textContent).toContain('The server does not respond.');
    expect(await connection()).toBe('Connection lost');
  });

  it('links to the sessions from an unknown path', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/nowhere');
    expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Go to sessions' }).getAttribute('href')).toBe('/');
  });

  it('links to every page and marks the current one', async () => {
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

  it('has a skip link to the content', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/');
    const skip = await screen.findByRole('link', { name: 'Skip to content' });
    expect(skip.getAttribute('href')).toBe(`#${screen.getByRole('main').id}`);
  });

  it('switches the theme', async () => {
    serve({ ...sessions, '/health': healthy });
    open('/');
    await userEvent.click(await screen.findByRole('button', { name: /^Theme: system/ }));
    expect(await screen.findByRole('button', { name: /^Theme: (dark|light)/ })).toBeTruthy();
    expect(document.documentElement.getAttribute('data-theme')).toMatch(/^(dark|light)$/);
  });
});
