/** Starts of the back end in a folder of their own, as an operator sees them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { root, runProcess } from './start-process.ts';

/** @returns functions that use the folder of the current test */
export function useStartFolder() {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dowel-messages-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const start = (settings: Record<string, string> = {}) =>
    runProcess({ dataDir: folder, settings });

  return {
    path: () => folder,
    start,

    /** @returns the path of the sample manifest with these changes */
    async writeManifest(changes: object): Promise<string> {
      const manifest = JSON.parse(await readFile(join(root, 'manifest.json'), 'utf8')) as object;
      const path = join(folder, 'own-manifest.json');
      await writeFile(path, JSON.stringify({ ...manifest, ...changes }));
      return path;
    },

    /** The start fails and prints only this line. */
    async expectOneLine(settings: Record<string, string>, line: string | RegExp): Promise<void> {
      const { code, err } = await start(settings);
      expect(code).toBe(1);
      expect(err).toMatch(/^[^\n]+\n$/);
      if (typeof line === 'string') expect(err).toBe(`${line}\n`);
      else expect(err).toMatch(line);
    },
  };
}

export const lifecycleAt = (url: string) => ({
  lifecycle: { url, events: ['install', 'uninstall', 'instance_add', 'instance_remove'] },
});
