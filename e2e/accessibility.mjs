/** What axe-core finds wrong with a page for people who do not see it, or do not see it well. */
import { AxeBuilder } from '@axe-core/playwright';

const GRAVE = ['serious', 'critical'];

/** Throws if there is anything grave, with the elements that it is about. */
export const assertAccessible = (page, name) => judge(new AxeBuilder({ page }), name);

/** The same for colours alone, for a page that was judged in other colours. */
export const assertReadable = (page, name) =>
  judge(new AxeBuilder({ page }).withRules(['color-contrast']), name);

async function judge(axe, name) {
  // A page has no frames of others, so nothing has to be gathered from them.
  const { violations } = await axe.setLegacyMode().analyze();
  const grave = violations.filter(({ impact }) => GRAVE.includes(impact));
  if (grave.length > 0) throw new Error(`${name} is not accessible:\n${grave.map(told).join('\n')}`);
}

const told = ({ id, help, nodes }) =>
  [`${id}: ${help}`, ...nodes.map((node) => `  ${node.html}\n    ${node.failureSummary}`)].join('\n');
