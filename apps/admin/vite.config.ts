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
    rolldownOptions: {
      output: {
        // zod is configured in the chunk that it is in: before a schema of any other chunk is created.
        codeSplitting: { groups: [{ name: 'zod', test: /node_modules\/zod\/|configure-zod/ }] },
      },
    },
  },
  server: { port: 4302, proxy: { '/admin/api': 'http://localhost:4310' } },
});
