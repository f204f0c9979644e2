import { z } from 'zod';
import { manifestSchema } from './manifest.ts';

/** The manifest as JSON Schema 2020-12, as published in manifest.schema.json. */
export function manifestJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(manifestSchema, { io: 'input' });
  return { $schema, $id: 'urn:dowel:manifest', ...schema };
}
