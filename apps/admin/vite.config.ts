import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * The scripts of the libraries are one file: together they compress best, and each page needs most of them.
 * Only the list of installations needs the one that keeps rows out of the document.
 */
function isSharedLibrary(path: string): boolean {
  const isScript = /\/node_modules\/.*\.m?js$/.test(path);
  return isScript && !/\/@tanstack\/(react-virtual|virtual-core)\//.test(path);
}

/**
 * What several pages use and has no styles is one file, too. Styles stay where they are: their order counts. The
 * dialogs bring theirs, which are for elements that no other rule styles.
 */
const shared =
  /\/src\/(?:(?:api|shared|states)\/[\w-]+\.ts|i18n\/use-language\.ts|accounts-api\.ts|shared\/(?:age|typed-filter|older-button|reason-sentence|(?:action|keep|purge)-dialog)\.tsx)$/;

/** What no page needs of zod, 7 kB of scripts: JSON Schemas, and English sentences for invalid values. */
const unusedOfZod =
  /\/zod\/v4\/(?:core\/(?:to-json-schema|json-schema-processors)|locales\/en)\.js$/;

/** zod names it in each schema, so no bundler can leave it out: the names stay, and do nothing. */
const withoutUnusedOfZod: Plugin = {
  name: 'dowel:without-unused-of-zod',
  apply: 'build',
  transform(code, id) {
    if (!unusedOfZod.test(id)) return;
    const names = code.matchAll(/^export (?:(?:const|function) |\{ \w+ as )(\w+)/gm);
    const stubs = Array.from(names, ([, name]) => `export const ${name} = () => ({});`).join('');
    return `${stubs}export default () => ({});`;
  },
};

export default defineConfig({
  base: '/admin/',
  // Only the HTML contains the path; the back end replaces it for another base path (dashboard-pages.ts).
  experimental: {
    renderBuiltUrl: (file, { hostType }) =>
      hostType === 'html' ? `/admin/${file}` : { relative: true },
  },
  plugins: [react(), withoutUnusedOfZod],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Under a strict content security policy no asset may become a data: URL.
    assetsInlineLimit: 0,
    // One file: a page whose code could not be loaded at first would come without its own styles later.
    cssCodeSplit: false,
    // Every browser that has popovers, as the menus need, preloads modules by itself.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 650,
    // The pages are published, and with them the libraries in them.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // zod is configured in the chunk that it is in: before a schema of any other chunk is created.
            { name: 'zod', test: /node_modules\/zod\/|configure-zod/ },
            { name: 'libraries', test: isSharedLibrary },
            { name: 'shared', test: shared, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { port: 4302, proxy: { '/admin/api': 'http://localhost:4310' } },
});
