/** How something stands, before it becomes a colour: models choose a tone, components paint it. */
export type Tone = 'neutral' | 'active' | 'good' | 'warning' | 'bad';
