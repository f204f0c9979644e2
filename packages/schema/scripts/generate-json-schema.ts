/** Writes manifest.schema.json, from which editors complete a plug-in's manifest.json. */
import { writeFile } from 'node:fs/promises';
import { manifestJsonSchema } from '../src/manifest-json-schema.ts';

await writeFile(
  new URL('../manifest.schema.json', import.meta.url),
  `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`,
);
