/** Lighthouse scores of a page with desktop settings, in a separate browser. */
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';
import { ARGUMENTS, EXECUTABLE } from './browser.mjs';

/** Returns scores from 0 to 100. */
export async function lighthouseScores(url) {
  const chrome = await launch({
    chromePath: EXECUTABLE,
    chromeFlags: ['--headless=new', ...ARGUMENTS],
    logLevel: 'silent',
  });
  try {
    const options = {
      port: chrome.port,
      logLevel: 'silent',
      onlyCategories: ['performance', 'accessibility'],
    };
    const { lhr } = await lighthouse(url, options, desktopConfig);
    const score = (name) => Math.round(lhr.categories[name].score * 100);
    return {
      performance: score('performance'),
      accessibility: score('accessibility'),
      failedAudits: failedAudits(lhr),
    };
  } finally {
    chrome.kill();
  }
}

/** Returns the audits that lowered the scores. */
const failedAudits = ({ audits }) =>
  Object.values(audits)
    .filter(
      ({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== 'informative',
    )
    .map(({ id, displayValue }) => `${id} ${displayValue ?? ''}`.trim());
