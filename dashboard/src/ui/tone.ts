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
