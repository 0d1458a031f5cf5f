import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Markdown } from './Markdown';

const renderMarkdown = (text: string) => render(<Markdown text={text} />).container;

describe('untrusted Markdown', () => {
  it.each([
    '<script>globalThis.taken = true</script>',
    '<img src=x onerror="globalThis.taken = true">',
    'text <b onclick="globalThis.taken = true">bold</b>',
    '<iframe src="https://evil.example"></iframe>',
    '<style>* { display: none }</style>',
    '<a href="javascript:globalThis.taken = true">here</a>',
  ])('shows HTML as text: %s', (text) => {
    const page = renderMarkdown(text);
    expect(page.textContent).toContain(text);
    expect(page.querySelector('script, img, b, iframe, style, a')).toBeNull();
    expect('taken' in globalThis).toBe(false);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '/api/v1/sessions',
    '//evil.example',
    '#top',
  ])('does not link to %s', (address) => {
    const page = renderMarkdown(`[look](${address}) ![and look](${address})`);
    expect(page.querySelector('a, img')).toBeNull();
    expect(page.textContent).toContain('look');
  });

  it('marks external links and sends no referrer', () => {
    renderMarkdown('[the runbook](https://runbooks.example/a)');
    const link = screen.getByRole('link', { name: 'the runbook (external link)' });
    expect(link.getAttribute('href')).toBe('https://runbooks.example/a');
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    expect(link.getAttribute('title')).toBe('https://runbooks.example/a');
  });

  it('distinguishes a line of dashes from nested lists', () => {
    expect(renderMarkdown(`above\n\n${'-'.repeat(60)}\n\n**below**`).querySelector('hr')).not.toBeNull();
  });

  it('replaces an image by a link', () => {
    const page = renderMarkdown('![a graph](https://evil.example/track.png)');
    expect(page.querySelector('img')).toBeNull();
    expect(screen.getByRole('link', { name: '[image: a graph] (external link)' })).toBeTruthy();
  });

  it.each([
    ['# One\n\n## Two\n\n###### Six', ['H3', 'H4', 'H6']],
    ['## Two\n\n> ### Three', ['H3', 'H4']],
  ])('shifts headings below those of the page: %j', (text, tags) => {
    renderMarkdown(text);
    expect(screen.getAllByRole('heading').map((heading) => heading.tagName)).toEqual(tags);
  });

  it('renders tables, tasks and code with a copy button', () => {
    renderMarkdown('|a|b|\n|-|-|\n|1|2|\n\n- [x] done\n\n```\nkubectl get pods\n```');
    expect(screen.getByRole('cell', { name: '2' })).toBeTruthy();
    expect(screen.getByRole('checkbox', { name: 'done' })).toHaveProperty('disabled', true);
    expect(screen.getByRole('button', { name: 'Copy this code' })).toBeTruthy();
  });

  it.each([
    '**never closed',
    '```\nnever closed',
    '| a |\n|',
    '[a](',
    '#'.repeat(9),
    '> '.repeat(10),
    '\\',
    '&#0;',
  ])('renders malformed Markdown: %s', (text) => {
    expect(renderMarkdown(text).textContent).toBeTruthy();
  });

  it.each([
    ['a very long line', 'x'.repeat(100_000)],
    ['nested quotes', `${'> '.repeat(5_000)}x`],
    ['nested lists', `${'- '.repeat(3_000)}x`],
    ['unclosed markers', '[!'.repeat(10_000)],
  ])('does not parse %s', (_claim, text) => {
    const startedAt = performance.now();
    const page = renderMarkdown(text);
    expect(page.querySelector('pre')).not.toBeNull();
    expect(page.textContent?.length ?? 0).toBeLessThan(8_000);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
