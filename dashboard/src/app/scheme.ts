/** Which colour scheme a press of the theme button leads to. Pure. */

export type Mode = 'system' | 'light' | 'dark';
export type Scheme = 'light' | 'dark';

/** Away from what the system has, then back to it by hand, then following the system again: every press but the last is seen. */
export function nextMode(mode: Mode, system: Scheme): Mode {
  const other: Scheme = system === 'dark' ? 'light' : 'dark';
  switch (mode) {
    case 'system':
      return other;
    case other:
      return system;
    default:
      return 'system';
  }
}

const names: Record<Mode, string> = { system: 'as the system', light: 'light', dark: 'dark' };

export function schemeLabel(mode: Mode, system: Scheme): string {
  return `Theme: ${names[mode]}. Change to ${names[nextMode(mode, system)]}.`;
}
