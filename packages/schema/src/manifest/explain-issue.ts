/** Explains an issue of zod in words that do not mention zod or a value of the manifest. */
import { z } from 'zod';
import type { JsonPath } from '../json/json-pointer.ts';
import { innerSchema, memberSchema } from '../json/schema-members.ts';
import { kindOf, nameOfType } from '../plain-words.ts';
import { adviseChoice } from './advise-choice.ts';
import { manifestSchema } from './manifest.ts';
import type { Explanation, Finding, ManifestProblemCode } from './manifest-problem.ts';

type Problem = Finding<ManifestProblemCode>;

/**
 * @param issue from a parser that uses `plainWords`.
 * @param manifest the value that was refused.
 */
export function explainIssue(issue: z.core.$ZodIssue, manifest: unknown): Problem {
  const path = issue.path.filter((name) => typeof name !== 'symbol');
  if (issue.code === 'custom' && issue.params) {
    return { path, message: issue.message, ...(issue.params as Pick<Problem, 'code' | 'fix'>) };
  }
  const found = valueAt(manifest, path);
  if (found === undefined) return { path, ...missing(path) };
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union') {
    const expected = issue.code === 'invalid_type' ? nameOfType(issue.expected) : 'something else';
    const message = `Expected ${expected}, found ${kindOf(found)}.`;
    return { path, code: 'FIELD_TYPE_WRONG', message, fix: describeField(path) };
  }
  if (issue.code === 'invalid_value') return { path, ...explainChoice(issue.values, path, found) };
  const message = sentence(issue.message);
  return { path, code: 'FIELD_VALUE_WRONG', message, fix: describeField(path) };
}

function missing(path: JsonPath): Explanation<ManifestProblemCode> {
  const name = String(path.at(-1));
  return {
    code: 'FIELD_MISSING',
    message: `The field ${JSON.stringify(name)} is missing.`,
    fix: `Add it. ${describeField(path)}`,
  };
}

function explainChoice(
  values: readonly unknown[],
  path: JsonPath,
  found: unknown,
): Explanation<ManifestProblemCode> {
  if (found === 'access_token' && path[0] === 'lifecycle') {
    const message = 'access_token must not be in the events of lifecycle.';
    const fix = 'Remove it, and add "apiAccess", which requests the event.';
    return { code: 'ACCESS_TOKEN_LISTED', message, fix };
  }
  const message = 'The platform does not know this value.';
  return { code: 'FIELD_VALUE_WRONG', message, fix: adviseChoice(found, values) };
}

/** The schema's description of the field, with an example. */
function describeField(path: JsonPath): string {
  const { description, examples } = metadataAt(path);
  const example = examples?.[0];
  const parts = [
    description && `Expected: ${sentence(description)}`,
    example !== undefined && `For example ${JSON.stringify(example)}.`,
  ];
  return parts.filter(Boolean).join(' ') || 'Write a value of the expected type.';
}

interface Metadata {
  description?: string | undefined;
  examples?: readonly unknown[] | undefined;
}

function metadataAt(path: JsonPath): Metadata {
  let schema: z.core.$ZodType | undefined = manifestSchema;
  for (const name of path) schema = schema && memberSchema(schema, name);
  if (!schema) return {};
  return z.globalRegistry.get(schema) ?? z.globalRegistry.get(innerSchema(schema)) ?? {};
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (parent, name) =>
      typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
        ? Reflect.get(parent, name)
        : undefined,
    value,
  );
}

function sentence(text: string): string {
  return /[.…!?]$/.test(text) ? text : `${text}.`;
}
