/** Parts of the dashboard's pages, by the names that people and screen readers know them by. */
import assert from 'node:assert/strict';

export const connectionSays = (page, words) =>
  page.getByRole('status', { name: 'Connection' }).getByText(words, { exact: true }).waitFor();

export const statusSays = (page, words) =>
  page.getByRole('status', { name: 'Status', exact: true }).getByText(words, { exact: true }).waitFor();

export const writing = (page) => page.getByRole('article', { name: 'Writing…' });
export const finalAnalysis = (page) => page.getByRole('region', { name: 'Final analysis' });
export const entries = (page) => page.getByRole('group', { name: 'Entries' }).getByRole('article');

/** The titles of all entries of a timeline that fits on the page. */
export const entryTitles = (page) =>
  entries(page).evaluateAll((articles) => articles.map((article) => article.ariaLabel.split(',')[0]));

/** From 0 (black) to 255 (white). */
export async function brightness(page) {
  const rgb = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const channels = rgb.match(/\d+/g).slice(0, 3).map(Number);
  return channels.reduce((sum, channel) => sum + channel, 0) / 3;
}

export async function assertNoSidewaysScrolling(page) {
  const { content, screen } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    screen: document.documentElement.clientWidth,
  }));
  assert.equal(content, screen, `${page.url()} scrolls sideways`);
}
