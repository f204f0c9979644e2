/** The wire shapes as JSON Schema 2020-12: for editors, and for readers in other languages. */
import { z } from 'zod';
import { initClaimsSchema, saveClaimsSchema } from './init-claims.ts';
import { lifecycleEventNames, lifecycleEventSchemas } from './lifecycle-events.ts';
import { manifestSchema } from './manifest/manifest.ts';
import { plainWords } from './plain-words.ts';
import { tokenResponseSchema } from './token-response.ts';

interface SchemaPlace {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** By path in this package. Each is the shape on the wire, before the parser wraps or changes values. */
export function jsonSchemas(): Record<string, object> {
  const events = lifecycleEventNames.map((name) => [
    `json-schema/${name}.json`,
    wireJsonSchema(lifecycleEventSchemas[name], `event:${name}`, `Payload of the ${name} event`),
  ]);
  return {
    'manifest.schema.json': toJsonSchema(manifestSchema, 'manifest', 'Plug-in manifest', {
      override: addEditorTexts,
    }),
    'json-schema/token-response.json': wireJsonSchema(
      tokenResponseSchema,
      'token-response',
      'Response of the token endpoint',
    ),
    'json-schema/init-claims.json': wireJsonSchema(
      initClaimsSchema,
      'init-claims',
      'Claims of the init JWT',
    ),
    'json-schema/save-claims.json': wireJsonSchema(
      saveClaimsSchema,
      'save-claims',
      'Claims of the save JWT',
    ),
    ...Object.fromEntries(events),
  };
}

function toJsonSchema(
  schema: z.ZodType,
  name: string,
  title: string,
  options: z.core.ToJSONSchemaParams = {},
): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', ...options });
  return { $schema, $id: `urn:dowel:${name}`, title, ...rest };
}

function wireJsonSchema(schema: z.ZodType, name: string, title: string): object {
  return {
    ...toJsonSchema(schema, name, title),
    propertyNames: { not: { const: '__proto__' } },
  };
}

/** Adds what VS Code shows beside a field, and for a text that does not fit its pattern. Other readers ignore both. */
function addEditorTexts({ zodSchema, jsonSchema }: SchemaPlace): void {
  const { pattern, description, examples } = jsonSchema;
  if (pattern !== undefined) {
    // A text that fits no pattern of ours.
    const [issue] = z.safeParse(zodSchema, '\0', { error: plainWords }).error?.issues ?? [];
    jsonSchema.patternErrorMessage = issue?.message;
  }
  if (description) jsonSchema.markdownDescription = toMarkdown(description, examples);
}

function toMarkdown(description: string, [example]: readonly unknown[] = []): string {
  const text = description.replaceAll(/[\\`*_{}[\]()<>#+|!]/g, '\\$&');
  return example === undefined ? text : `${text}\n\nExample: \`${JSON.stringify(example)}\``;
}
