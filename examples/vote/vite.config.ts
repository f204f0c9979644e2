import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The back end serves the page at this path. In the platform's frame the page has the origin `null`, and so it has in
 * the fake host, which may show the page of Vite's own server.
 */
export default defineConfig({
  base: '/plugin/',
  plugins: [react()],
  server: { cors: { origin: 'null' } },
});
