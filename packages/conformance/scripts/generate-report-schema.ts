/** Writes the JSON Schema of the report. */
import { writeFile } from 'node:fs/promises';
import { reportJsonSchema } from '../src/report/report-json-schema.ts';

const file = new URL('../report.schema.json', import.meta.url);
await writeFile(file, `${JSON.stringify(reportJsonSchema(), null, 2)}\n`);
