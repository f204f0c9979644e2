/** Writes the JSON Schemas; editors complete a plug-in's manifest.json from the first. */
import { mkdir, writeFile } from 'node:fs/promises';
import { jsonSchemas } from '../src/json-schemas.ts';

const root = new URL('../', import.meta.url);
await mkdir(new URL('json-schema/', root), { recursive: true });
for (const [path, schema] of Object.entries(jsonSchemas())) {
  await writeFile(new URL(path, root), `${JSON.stringify(schema, null, 2)}\n`);
}
