/** What Lighthouse thinks of a page on a desktop, in a browser of its own. */
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';
import { ARGUMENTS, EXECUTABLE } from './browser.mjs';

/** Scores from 0 to 100. */
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
      faults: faultsOf(lhr),
    };
  } finally {
    chrome.kill();
  }
}

/** What took away points, for whoever has to mend it. */
const faultsOf = ({ audits }) =>
  Object.values(audits)
    .filter(
      ({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== 'informative',
    )
    .map(({ id, displayValue }) => `${id} ${displayValue ?? ''}`.trim());
