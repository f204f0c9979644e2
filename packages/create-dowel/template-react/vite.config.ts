import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  // The back end serves the page at this path.
  base: '/plugin/',
  plugins: [react()],
  // Every browser of the adapter preloads modules by itself.
  build: { modulePreload: { polyfill: false } },
});
