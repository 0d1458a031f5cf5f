/** Accessibility checks with axe-core. */
import { AxeBuilder } from '@axe-core/playwright';

const BLOCKING = ['serious', 'critical'];

/** Throws if there are serious or critical violations, with the affected elements. */
export const assertAccessible = (page, name) => check(new AxeBuilder({ page }), name);

/** Checks only the color contrast, for a page that was checked in another color scheme. */
export const assertContrast = (page, name) =>
  check(new AxeBuilder({ page }).withRules(['color-contrast']), name);

async function check(axe, name) {
  // The dashboard has no frames from other origins, so nothing has to be collected from them.
  const { violations } = await axe.setLegacyMode().analyze();
  const blocking = violations.filter(({ impact }) => BLOCKING.includes(impact));
  if (blocking.length > 0)
    throw new Error(`${name} is not accessible:\n${blocking.map(describe).join('\n')}`);
}

const describe = ({ id, help, nodes }) =>
  [`${id}: ${help}`, ...nodes.map((node) => `  ${node.html}\n    ${node.failureSummary}`)].join('\n');
