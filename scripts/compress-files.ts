/**
 * `node scripts/compress-files.ts <folder>`: writes `<file>.br` and `<file>.gz` beside each file of a build
 * that a browser loads and that becomes smaller. The servers send them as they are.
 */
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Pictures and fonts are compressed already. */
const compressible = ['.js', '.css', '.html', '.svg', '.json', '.txt'];
/** A smaller file fits into one packet as it is. */
const minBytes = 1_024;

const encoders = {
  '.br': (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  '.gz': (bytes: Buffer) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

export async function compressFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => compressible.includes(extname(name)));
  await Promise.all(paths.map((name) => compressFile(join(folder, name))));
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.byteLength < minBytes) return;
  const { atime, mtime } = await stat(path);
  for (const [extension, encode] of Object.entries(encoders)) {
    const encoded = await encode(bytes);
    if (encoded.byteLength >= bytes.byteLength) continue;
    await writeFile(`${path}${extension}`, encoded);
    // All forms have the same Last-Modified.
    await utimes(`${path}${extension}`, atime, mtime);
  }
}

const [folder] = process.argv.slice(2);
if (import.meta.main && folder !== undefined) await compressFiles(folder);
