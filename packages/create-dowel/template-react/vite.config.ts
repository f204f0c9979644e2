/// <reference types="vitest/config" />
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  // The back end serves the page at this path.
  base: '/plugin/',
  plugins: [react()],
  // Every browser of the adapter preloads modules by itself.
  build: { modulePreload: { polyfill: false } },
  // The first test of a file starts the platform and the back end.
  test: { dir: 'test', testTimeout: 30_000 },
});
