/** The report as JSON Schema 2020-12, for programs that read `--json`. */
import { z } from 'zod';
import { reportSchema } from './report.ts';

export function reportJsonSchema(): z.core.JSONSchema.JSONSchema {
  const schema = z.toJSONSchema(reportSchema, { io: 'input' });
  return { $id: 'urn:dowel:doctor-report', title: 'Report of dowel doctor', ...schema };
}
