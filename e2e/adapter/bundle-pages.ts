/** The scripts of the battery's pages, by path. The adapter is the shipped file. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const pages = [
  'runner',
  'host',
  'attacker',
  'loader',
  'ours',
  'naive',
  'predecessor',
  'leak',
  'heights',
  'worker',
];
const adapterFolder = new URL('../../packages/adapter/dist/', import.meta.url);

export interface Scripts {
  files: Map<string, string>;
  /** The hash of `/dowel-adapter.js`. */
  integrity: string;
}

export async function bundlePages(): Promise<Scripts> {
  const [bundled, file, integrity] = await Promise.all([
    Promise.all(pages.map(bundle)),
    readFile(new URL('dowel-adapter.js', adapterFolder), 'utf8'),
    readFile(new URL('dowel-adapter.integrity', adapterFolder), 'utf8'),
  ]);
  return {
    files: new Map([...bundled, ['/dowel-adapter.js', file]]),
    integrity,
  };
}

/** One file for each page: each further request costs a millisecond in hundreds of frames. */
async function bundle(page: string): Promise<[path: string, code: string]> {
  const bundled = await rolldown({
    input: fileURLToPath(new URL(`pages/${page}.ts`, import.meta.url)),
    plugins: [
      {
        name: 'adapter-by-its-file',
        resolveId: (id) =>
          id === '@dowel/adapter' ? { id: '/dowel-adapter.js', external: true } : null,
      },
    ],
    platform: 'browser',
  });
  const { output } = await bundled.generate({ format: 'esm', minify: true });
  await bundled.close();
  return [`/${page}.js`, output[0].code];
}
