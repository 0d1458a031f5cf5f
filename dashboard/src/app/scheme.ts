/** The cycle of the theme button. Pure. */

export type ThemeMode = 'system' | 'light' | 'dark';
export type ColorScheme = 'light' | 'dark';

/**
 * Returns the next mode: the opposite of the system scheme, then the system scheme set explicitly, then
 * `system`. Every step but the last is visible.
 */
export function nextMode(mode: ThemeMode, system: ColorScheme): ThemeMode {
  const other: ColorScheme = system === 'dark' ? 'light' : 'dark';
  switch (mode) {
    case 'system':
      return other;
    case other:
      return system;
    default:
      return 'system';
  }
}

const names: Record<ThemeMode, string> = { system: 'system', light: 'light', dark: 'dark' };

export function schemeLabel(mode: ThemeMode, system: ColorScheme): string {
  return `Theme: ${names[mode]}. Switch to ${names[nextMode(mode, system)]}.`;
}
