/** The meaning of a color: models choose a tone, components apply the color. */
export type Tone = 'neutral' | 'active' | 'good' | 'warning' | 'bad';

/** Theme color of each tone. */
export const toneColors: Record<Tone, string> = {
  neutral: 'text.secondary',
  active: 'info.main',
  good: 'success.main',
  warning: 'warning.main',
  bad: 'error.main',
};

/**
 * CSS variable of each tone, for elements that are styled without the theme because there are many of them.
 */
export const toneVariables: Record<Tone, string> = {
  neutral: 'var(--mui-palette-text-secondary)',
  active: 'var(--mui-palette-info-main)',
  good: 'var(--mui-palette-success-main)',
  warning: 'var(--mui-palette-warning-main)',
  bad: 'var(--mui-palette-error-main)',
};
