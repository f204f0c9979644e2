/**
 * Writes the adapter as one minified file without imports, for pages that have no build of their own,
 * and beside it the value of the `integrity` attribute that lets a page load no other text. Under
 * `sizes` lies what a plug-in takes of it when it is bundled: what .size-limit.json limits.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = new URL('../', import.meta.url);
const entry = fileURLToPath(new URL('src/entry.ts', root));
const parts = {
  connect:
    "export { connect } from './connect.ts'; export { PluginError } from './plugin-error.ts'",
  core: "export { createAdapter } from './create-adapter.ts'; export { PluginError } from './plugin-error.ts'",
  react: "export * from './react/index.ts'",
  compat: "export * from './compat/index.ts'",
};

/** @param source stands for a module in `src` */
async function bundle(source: string): Promise<string> {
  const build = await rolldown({
    input: entry,
    external: [/^react(\/|$)/],
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await build.generate({
    format: 'esm',
    comments: false,
    minify: { compress: true, mangle: { toplevel: true }, codegen: { removeWhitespace: true } },
  });
  await build.close();
  return output[0].code;
}

/** Chromium then compiles every function while the page loads, and not when the host waits for it. */
const compileHint = '//# allFunctionsCalledOnLoad\n';

await mkdir(new URL('dist/sizes/', root), { recursive: true });
const whole = compileHint + (await bundle("export * from './index.ts'"));
const integrity = `sha384-${createHash('sha384').update(whole).digest('base64')}`;
await writeFile(new URL('dist/dowel-adapter.js', root), whole);
await writeFile(new URL('dist/dowel-adapter.integrity', root), integrity);
for (const [name, source] of Object.entries(parts)) {
  await writeFile(new URL(`dist/sizes/${name}.js`, root), await bundle(source));
}
process.stdout.write(`dist/dowel-adapter.js ${whole.length} B ${integrity}\n`);
