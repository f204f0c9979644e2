/** The operations of a plug-in. */
import { assertCount } from '@dowel/schema';
import { z } from 'zod';
import {
  defaultNotificationLimits,
  type NotificationLimits,
} from '../platform/notification-limits.ts';
import { type CallLimits, notificationCalls } from './call-limits.ts';
import { createNotification } from './create-notification.ts';
import type { OperationDefinition, OperationTable } from './operation.ts';

/** An operation that may be called. */
export interface NamedOperation {
  name: string;
  definition: OperationDefinition;
  limits: CallLimits;
  /** The name under which calls are counted: {@link notificationCalls} for createNotification, else its own. */
  countedAs: string;
  inputSchema: z.core.JSONSchema.BaseSchema;
  outputSchema: z.core.JSONSchema.BaseSchema;
}

export interface TableOptions {
  /** The scopes that the manifest requests. */
  requestedScopes: readonly string[];
  /** The limits of createNotification, which have settings. */
  notificationLimits?: NotificationLimits;
}

const defaultLimits = { perUserPerMinute: 60, perTenantPerMinute: 600 };

/** Names that a client object uses for other purposes, such as `then`, which `await client` reads. */
const takenNames: ReadonlySet<string> = new Set([
  'session',
  'then',
  'toJSON',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/**
 * Checks what needs no manifest.
 *
 * @throws TypeError that names the operation, and says what is wrong: its name, a limit, or a schema that has no
 * JSON Schema
 */
export function assertOperations(table: OperationTable): void {
  for (const [name, { definition }] of Object.entries(table)) {
    assertName(name);
    readLimits(name, definition as OperationDefinition);
    describeSchemas(name, definition as OperationDefinition);
  }
}

/**
 * Reads a table that {@link assertOperations} has accepted.
 *
 * @throws TypeError that names the operation, and its scope that the manifest does not request
 */
export function readOperations(
  table: OperationTable,
  { requestedScopes, notificationLimits = defaultNotificationLimits }: TableOptions,
): ReadonlyMap<string, NamedOperation> {
  const entries = Object.entries(table).map(([name, operation]): [string, NamedOperation] => {
    const definition = operation.definition as OperationDefinition;
    assertRequested(name, definition, requestedScopes);
    const counted =
      operation === createNotification
        ? { limits: notificationLimits, countedAs: notificationCalls }
        : { limits: readLimits(name, definition), countedAs: name };
    return [name, { name, definition, ...counted, ...describeSchemas(name, definition) }];
  });
  return new Map(entries);
}

function assertName(name: string): void {
  if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(name)) {
    throw new TypeError(
      `The operation ${JSON.stringify(name)} needs another name: a small letter, then letters and digits, at most 64`,
    );
  }
  if (takenNames.has(name)) {
    throw new TypeError(`The operation ${name} needs another name: it is taken`);
  }
}

function assertRequested(
  name: string,
  { scopes }: OperationDefinition,
  requested: readonly string[],
): void {
  const missing = scopes.find((scope) => !requested.includes(scope));
  if (missing === undefined) return;
  throw new TypeError(
    `The operation ${name} needs the scope ${missing}, which the manifest does not request: correct its name, or add it to apiAccess.client.scope`,
  );
}

function readLimits(name: string, { limit }: OperationDefinition): CallLimits {
  const { perUserPerMinute = defaultLimits.perUserPerMinute } = limit;
  const { perTenantPerMinute = defaultLimits.perTenantPerMinute } = limit;
  const { perSessionPerMinute = perUserPerMinute, perProcessPerMinute } = limit;
  assertCount(perUserPerMinute, `${name}.limit.perUserPerMinute`);
  assertCount(perTenantPerMinute, `${name}.limit.perTenantPerMinute`);
  assertCount(perSessionPerMinute, `${name}.limit.perSessionPerMinute`);
  const perTenant = { perSessionPerMinute, perUserPerMinute, perTenantPerMinute };
  if (perProcessPerMinute === undefined) return perTenant;
  assertCount(perProcessPerMinute, `${name}.limit.perProcessPerMinute`);
  return { ...perTenant, perProcessPerMinute };
}

function describeSchemas(name: string, { input, output }: OperationDefinition) {
  return {
    inputSchema: describe(`${name}.input`, input, 'input'),
    outputSchema: describe(`${name}.output`, output, 'output'),
  };
}

function describe(what: string, schema: z.ZodType, io: 'input' | 'output') {
  if (io === 'output' && schema._zod.optout === 'optional') {
    throw new TypeError(
      `${what} may be undefined, which JSON does not have. Write .nullable() instead of .optional()`,
    );
  }
  try {
    const { $schema: _, ...described } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
    return described;
  } catch (cause) {
    const { message } = cause as Error;
    const hint = io === 'output' ? ' An output may not transform.' : '';
    throw new TypeError(
      `${what} has no JSON Schema: ${message}. Use what JSON has, such as z.iso.datetime() for a date.${hint}`,
      { cause },
    );
  }
}
