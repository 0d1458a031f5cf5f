/** Runs before every test file. */
import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { TestSocket } from './socket';

beforeEach(() => {
  TestSocket.opened = [];
  vi.stubGlobal('WebSocket', TestSocket);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
});
