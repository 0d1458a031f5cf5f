import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { PlainText } from './PlainText';

const BIG = Array.from(
  { length: 40_000 },
  (_, line) => `line ${line} of a result that has two megabytes`,
).join('\n');

describe('plain text', () => {
  it('is rendered without interpretation', () => {
    const hostile = '<b>bold</b> \u202egpj.exe <script>1</script>';
    const page = render(<PlainText text={hostile} />).container;
    expect(page.textContent).toBe(hostile);
    expect(page.querySelector('b, script')).toBeNull();
  });

  it('renders only the visible part of two megabytes', async () => {
    const page = render(<PlainText text={BIG} />).container;
    expect(page.textContent?.length ?? 0).toBeLessThan(3_000);
    await userEvent.click(screen.getByRole('button', { name: /^Show more \(1\.8 MB, 40,000 lines\)/ }));
    expect(screen.getByRole('group', { name: 'Full text' })).toBeTruthy();
    expect(page.textContent?.length ?? 0).toBeLessThan(10_000);
    await userEvent.click(screen.getByRole('button', { name: 'Show less' }));
    expect(screen.queryByRole('group', { name: 'Full text' })).toBeNull();
  });

  it('expands for a match outside of the preview', () => {
    render(<PlainText text={BIG} reveal={BIG.length - 5} />);
    expect(screen.getByRole('group', { name: 'Full text' })).toBeTruthy();
  });
});
