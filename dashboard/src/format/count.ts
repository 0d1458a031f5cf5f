/** Formats counts as short text. */

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `1234567` → `1,234,567`. */
export const wholeCount = (count: number): string => whole.format(count);

/** `1234567` → `1.2M`. */
export const compactCount = (count: number): string => compact.format(count);

const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `2_100_000` → `2.1 MB`. */
export function compactBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${decimal.format(bytes / 1_000)} kB`;
  return `${decimal.format(bytes / 1_000_000)} MB`;
}
