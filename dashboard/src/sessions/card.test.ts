import { describe, expect, it } from 'vitest';
import { session } from '../testing/server';
import { sessionCard } from './card';

describe('session card', () => {
  it('shows the progress and the current step', () => {
    const running = session({ status: 'in_progress', current_step: 'asking the model' });
    expect(sessionCard(running)).toMatchObject({
      title: 'PodFailure',
      progress: '2 of 4 stages',
      step: 'asking the model',
      look: { label: 'Running' },
    });
  });
});
