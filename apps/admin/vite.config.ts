import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/admin/',
  // Only the page names the path: below another one, the back end writes that into it (dashboard-pages.ts).
  experimental: {
    renderBuiltUrl: (file, { hostType }) =>
      hostType === 'html' ? `/admin/${file}` : { relative: true },
  },
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Under a strict content security policy no asset may become a data: URL.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 650,
    // The pages are published, and with them the libraries in them.
    license: { fileName: 'licenses.md' },
  },
  server: { port: 4302, proxy: { '/admin/api': 'http://localhost:4310' } },
});
