/**
 * The three bundlers that a plug-in's author is likely to use, each with its default configuration: Rolldown
 * with its own minifier (Vite 8), Rollup with esbuild's minifier (Vite 5 to 7), and esbuild alone. All of
 * them target the browsers that README.md names.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as esbuild, transform } from 'esbuild';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { target } from './target.ts';

const folder = fileURLToPath(new URL('../src/', import.meta.url));
const entry = `${folder}entry.ts`;
const external = /^react(\/|$)/;

/** @param source the text of a module in `src` @returns one minified module */
type Bundle = (source: string) => Promise<string>;

export const bundleByRolldown: Bundle = async (source) => {
  const build = await rolldown({
    input: entry,
    external: [external],
    transform: { target },
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
};

const bundleByRollup: Bundle = async (source) => {
  const build = await rollup({
    input: entry,
    external: [external],
    plugins: [
      {
        name: 'typescript',
        resolveId: (id, importer) =>
          importer && !external.test(id) ? fileURLToPath(new URL(id, pathToFileURL(importer))) : id,
        load: (id) => (id === entry ? source : null),
        transform: async (code, id) =>
          (
            await transform(code, {
              loader: id.endsWith('x') ? 'tsx' : 'ts',
              jsx: 'automatic',
              target,
            })
          ).code,
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const { code } = await transform(output[0].code, { minify: true, format: 'esm', target });
  return code;
};

const bundleByEsbuild: Bundle = async (source) => {
  const { outputFiles } = await esbuild({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    external: ['react', 'react/*'],
    bundle: true,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    legalComments: 'none',
    target,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
};

/** The bundlers, by their names in .size-limit.json. */
export const bundlers: Record<string, Bundle> = {
  esbuild: bundleByEsbuild,
  rolldown: bundleByRolldown,
  rollup: bundleByRollup,
};
