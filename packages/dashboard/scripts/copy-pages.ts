/** Copies the pages that apps/admin has built, and writes the guide. The compressed forms keep the times of their files. */
import { cp, rm } from 'node:fs/promises';
import { writeGuide } from './write-guide.ts';

const built = new URL('../../../apps/admin/dist', import.meta.url);
const target = new URL('../dist', import.meta.url);

await rm(target, { recursive: true, force: true });
await cp(built, target, { recursive: true, preserveTimestamps: true });
await writeGuide(new URL('../dist/guide/', import.meta.url));
