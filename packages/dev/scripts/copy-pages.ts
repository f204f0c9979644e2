/** Copies the emulator's built pages into this package, which serves them. */
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await rm(pathOf('../dist'), { recursive: true, force: true });
await cp(pathOf('../../../apps/emulator/dist'), pathOf('../dist'), { recursive: true });
