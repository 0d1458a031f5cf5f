/** Runs before every test file. */
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { TestSocket } from './socket';

// Pages are loaded on demand, which takes long on a busy machine.
configure({ asyncUtilTimeout: 5_000 });

beforeEach(() => {
  TestSocket.opened = [];
  vi.stubGlobal('WebSocket', TestSocket);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
});
