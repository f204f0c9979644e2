import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The BFF serves the result under `/plugin/`. In the platform's sandbox the page has an opaque
 * origin, so scripts and styles are loaded by CORS: Vite writes `crossorigin` on their tags.
 */
export default defineConfig({
  base: '/plugin/',
  plugins: [react()],
  build: { target: 'es2022', modulePreload: { polyfill: false } },
  server: { cors: { origin: '*' } },
});
