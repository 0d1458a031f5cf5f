/** Locators for parts of the dashboard, by role and accessible name. */
import assert from 'node:assert/strict';

export const waitForConnection = (page, label) =>
  page.getByRole('status', { name: 'Connection' }).getByText(label, { exact: true }).waitFor();

export const waitForStatus = (page, label) =>
  page.getByRole('status', { name: 'Status', exact: true }).getByText(label, { exact: true }).waitFor();

export const streamedText = (page) => page.getByRole('article', { name: 'Writing…' });
export const finalAnalysis = (page) => page.getByRole('region', { name: 'Final analysis' });
export const entries = (page) => page.getByRole('group', { name: 'Entries' }).getByRole('article');

/** Returns the titles of all entries of a timeline that fits on one screen. */
export const entryTitles = (page) =>
  entries(page).evaluateAll((articles) => articles.map((article) => article.ariaLabel.split(',')[0]));

/** Returns the brightness of the background, from 0 (black) to 255 (white). */
export async function brightness(page) {
  const rgb = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const channels = rgb.match(/\d+/g).slice(0, 3).map(Number);
  return channels.reduce((sum, channel) => sum + channel, 0) / 3;
}

export async function assertNoHorizontalScroll(page) {
  const { content, screen } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    screen: document.documentElement.clientWidth,
  }));
  assert.equal(content, screen, `${page.url()} scrolls horizontally`);
}
