/** Renders the whole dashboard at a path, as a browser would. */
import { createMemoryHistory } from '@tanstack/react-router';
import { render } from '@testing-library/react';
import { App } from '../app/App';

export function open(address: string) {
  return render(<App history={createMemoryHistory({ initialEntries: [address] })} />);
}
