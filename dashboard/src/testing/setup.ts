/** Runs before every test file. */
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { TestSocket } from './socket';

// Pages are loaded when they are opened, which takes its time on a machine that has other things to do.
configure({ asyncUtilTimeout: 5_000 });

beforeEach(() => {
  TestSocket.opened = [];
  vi.stubGlobal('WebSocket', TestSocket);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
});
