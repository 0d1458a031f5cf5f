/** How something stands, before it becomes a colour: models choose a tone, components paint it. */
export type Tone = 'neutral' | 'active' | 'good' | 'warning' | 'bad';

/** Where the theme keeps the colour of each tone. */
export const toneColours: Record<Tone, string> = {
  neutral: 'text.secondary',
  active: 'info.main',
  good: 'success.main',
  warning: 'warning.main',
  bad: 'error.main',
};

/** The same for elements that are styled without the theme, because there are many of them. */
export const toneVariables: Record<Tone, string> = {
  neutral: 'var(--mui-palette-text-secondary)',
  active: 'var(--mui-palette-info-main)',
  good: 'var(--mui-palette-success-main)',
  warning: 'var(--mui-palette-warning-main)',
  bad: 'var(--mui-palette-error-main)',
};
