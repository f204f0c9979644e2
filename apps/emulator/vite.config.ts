import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // Under a strict content security policy no asset may become a data: URL.
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0 },
  server: { port: 4301, proxy: { '/control': 'http://localhost:4300' } },
});
