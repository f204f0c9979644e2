import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/admin/',
  plugins: [react()],
  // Under a strict content security policy no asset may become a data: URL.
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, chunkSizeWarningLimit: 650 },
  server: { port: 4302, proxy: { '/admin/api': 'http://localhost:4310' } },
});
