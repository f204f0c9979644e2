/** Describes the operations of a plug-in as an OpenAPI 3.1 document, from the schemas that check them. */
import type { ServedManifest } from '@dowel/schema';
import { ApiError, type ApiErrorCode } from '../base/errors.ts';
import type { NamedOperation } from './operation-table.ts';

export interface OpenApiOptions {
  manifest: Pick<ServedManifest, 'name' | 'pluginVersion'>;
  /** The public URL with the plug-in's prefix. */
  url: string;
  operations: ReadonlyMap<string, NamedOperation>;
}

type JsonObject = Record<string, unknown>;

type JsonContent = { 'application/json': { schema: JsonObject } };

/** One operation in the document. */
export type OperationObject = {
  operationId: string;
  summary?: string;
  /** Contains the scopes that the installation must have been granted. */
  security?: { session: readonly string[] }[];
  requestBody: { required: true; content: JsonContent };
  /** The answers by HTTP status. */
  responses: Record<string, { description: string; content: JsonContent }>;
};

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string };
  servers: [{ url: string }];
  security: { session: readonly string[] }[];
  paths: Record<string, { post: OperationObject }>;
  components: { securitySchemes: JsonObject; schemas: Record<string, JsonObject> };
};

/** Codes of errors that every operation may return. */
export const codesOfAll = [
  'BAD_REQUEST',
  'SESSION_INVALID',
  'BODY_TOO_LARGE',
  'BAD_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'BODY_ALREADY_READ',
  'OVERLOADED',
  'TIMED_OUT',
] as const satisfies ApiErrorCode[];

/** Further codes of operations that may call the platform. */
const codesOfPlatform = [
  'NOTIFICATION_REFUSED',
  'SCOPE_MISSING',
  'FEATURE_NOT_AVAILABLE',
  'PLATFORM_LIMITED',
  'PLATFORM_FAILED',
  'OUTCOME_UNKNOWN',
  'PLATFORM_BUSY',
  'ACCESS_UNAVAILABLE',
  'INSTALLATION_PAUSED',
] as const satisfies ApiErrorCode[];

/** A code that operations do not define themselves. */
export type AnsweredCode = (typeof codesOfAll)[number] | (typeof codesOfPlatform)[number];

/** The document, ready for JSON. */
export function describeOperations({ manifest, url, operations }: OpenApiOptions): OpenApiDocument {
  const named = [...operations.values()];
  return {
    openapi: '3.1.1',
    info: { title: titleOf(manifest), version: manifest.pluginVersion },
    servers: [{ url }],
    security: [{ session: [] }],
    paths: Object.fromEntries(named.map((each) => [`/api/${each.name}`, describePath(each)])),
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          description: 'The sessionToken of POST /api/session.',
        },
      },
      schemas: Object.fromEntries(named.flatMap(describeSchemas)),
    },
  };
}

function titleOf({ name }: Pick<ServedManifest, 'name'>): string {
  return name.en ?? Object.values(name)[0] ?? 'Plug-in';
}

function describePath({ name, definition }: NamedOperation): { post: OperationObject } {
  const { summary, scopes } = definition;
  return {
    post: {
      operationId: name,
      ...(summary !== undefined && { summary }),
      ...(scopes.length > 0 && { security: [{ session: scopes }] }),
      requestBody: { required: true, content: jsonOf(refTo(inputName(name))) },
      responses: {
        200: { description: 'The output', content: jsonOf(refTo(outputName(name))) },
        ...Object.fromEntries([...codesByStatus(definition)].map(describeRefusal)),
      },
    },
  };
}

function codesByStatus({ errors, scopes }: NamedOperation['definition']): Map<number, string[]> {
  const builtIn = scopes.length > 0 ? [...codesOfAll, ...codesOfPlatform] : codesOfAll;
  const statuses = [
    ...builtIn.map((code): [string, number] => [code, new ApiError(code, '').status]),
    ...Object.entries(errors),
  ];
  const codes = new Map<number, string[]>();
  for (const [code, status] of statuses.toSorted(([, one], [, other]) => one - other)) {
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  return codes;
}

function describeRefusal([status, codes]: [number, string[]]): [
  string,
  { description: string; content: JsonContent },
] {
  const schema = {
    type: 'object',
    properties: {
      code: { enum: codes },
      message: { type: 'string', maxLength: 200 },
      retryAfterMs: { type: 'number', minimum: 0 },
      mayHaveRun: { const: true, description: 'The operation may have had an effect.' },
    },
    required: ['code', 'message'],
    additionalProperties: false,
  };
  return [String(status), { description: codes.join(', '), content: jsonOf(schema) }];
}

function describeSchemas({ name, inputSchema, outputSchema }: NamedOperation) {
  return [
    ...placeSchema(inputName(name), inputSchema),
    ...placeSchema(outputName(name), outputSchema),
  ];
}

/** A schema and its definitions, each as a component, with references that find them there. */
function placeSchema(name: string, { $defs = {}, ...schema }: JsonObject): [string, JsonObject][] {
  const definitions = Object.entries($defs as JsonObject);
  return [
    [name, moveReferences(schema, name) as JsonObject],
    ...definitions.map(([key, definition]): [string, JsonObject] => [
      `${name}.${componentKey(key)}`,
      moveReferences(definition, name) as JsonObject,
    ]),
  ];
}

/** Keywords with values, which may look like schemas. */
const valueKeywords = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords with schemas by names of the author, which may look like keywords. */
const namedSchemas = new Set(['patternProperties', 'properties']);

function moveReferences(schema: unknown, name: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => moveReferences(each, name));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === '$ref' && typeof value === 'string') return [key, moveReference(value, name)];
    if (namedSchemas.has(key)) return [key, moveEach(value as JsonObject, name)];
    return [key, valueKeywords.has(key) ? value : moveReferences(value, name)];
  });
  return Object.fromEntries(entries);
}

function moveEach(schemas: JsonObject, name: string): JsonObject {
  const entries = Object.entries(schemas).map(([key, schema]): [string, unknown] => [
    key,
    moveReferences(schema, name),
  ]);
  return Object.fromEntries(entries);
}

function moveReference(reference: string, name: string): string {
  const [, pointer] = /^#\/\$defs\/(.+)$/.exec(reference) ?? [];
  if (pointer === undefined) return `#/components/schemas/${name}`;
  // RFC 6901 §4
  const key = pointer.replaceAll('~1', '/').replaceAll('~0', '~');
  return `#/components/schemas/${name}.${componentKey(key)}`;
}

/** OpenAPI allows these letters in the names of components. */
function componentKey(key: string): string {
  return key.replace(/[^A-Za-z0-9._-]/g, '_');
}

const inputName = (name: string) => `${name}.input`;
const outputName = (name: string) => `${name}.output`;
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const jsonOf = (schema: JsonObject): JsonContent => ({ 'application/json': { schema } });
