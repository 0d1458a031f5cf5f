/** Build, development server and test configuration of the dashboard. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const server = process.env.TARSY_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: {
      '/api': { target: server, ws: true },
      '/health': server,
      '/processing-status': server,
      '/ready': server,
    },
  },
  // No `data:` URLs, so that a strict content security policy needs no exception.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 700 },
  test: {
    environment: 'happy-dom',
    environmentOptions: { happyDOM: { width: 1280, height: 800 } },
    setupFiles: ['src/testing/setup.ts'],
    // Generous, because CI machines run other builds at the same time.
    testTimeout: 20_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
