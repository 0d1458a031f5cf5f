/** Counts as short text. */

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1234567` → `1,234,567`. */
export const wholeCount = (count: number): string => whole.format(count);

/** `1234567` → `1.2M`. */
export const compactCount = (count: number): string => compact.format(count);
