/**
 * Writes the adapter as one minified file without imports, for pages that have no build of their own, and
 * beside it the value of the `integrity` attribute that lets a page load no other text. The folder `sizes`
 * holds the part that each bundler puts into a plug-in; .size-limit.json limits it.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { bundleByRolldown, bundlers } from './bundlers.ts';

const root = new URL('../', import.meta.url);
const parts = {
  connect:
    "export { connect } from './connect.ts'; export { PluginError } from './plugin-error.ts'",
  core: "export { createAdapter } from './create-adapter.ts'; export { PluginError } from './plugin-error.ts'",
  height:
    "export { createAdapter } from './create-adapter.ts'; export { PluginError } from './plugin-error.ts'; export { observeHeight } from './observe-height.ts'",
  everything: "export * from './index.ts'",
  react: "export * from './react/index.ts'",
  hooks:
    "export { PluginProvider, useAdapter, useClaims, usePlugin, useSave, useSession } from './react/index.ts'",
  client: "export * from './client/index.ts'",
  compat: "export * from './compat/index.ts'",
};

/** Chromium then compiles every function while the page loads, not while the host waits for it. */
const compileHint = '//# allFunctionsCalledOnLoad\n';

await mkdir(new URL('dist/', root), { recursive: true });
const whole = compileHint + (await bundleByRolldown("export * from './index.ts'"));
const integrity = `sha384-${createHash('sha384').update(whole).digest('base64')}`;
await writeFile(new URL('dist/dowel-adapter.js', root), whole);
await writeFile(new URL('dist/dowel-adapter.integrity', root), integrity);
for (const [bundler, bundle] of Object.entries(bundlers)) {
  await mkdir(new URL(`dist/sizes/${bundler}/`, root), { recursive: true });
  for (const [part, source] of Object.entries(parts)) {
    await writeFile(new URL(`dist/sizes/${bundler}/${part}.js`, root), await bundle(source));
  }
}
process.stdout.write(`dist/dowel-adapter.js ${whole.length} B ${integrity}\n`);
