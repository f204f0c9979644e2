/**
 * Warnings: things that are allowed but probably a mistake. The rules check the parts that fit the schema,
 * so a mistake in one part does not hide the others.
 */
import type { z } from 'zod';
import { findMeant } from '../find-nearest.ts';
import { memberNames } from '../json/schema-members.ts';
import { type UnknownMember, unknownMembers } from '../json/unknown-members.ts';
import { lintConfig } from './lint-config.ts';
import { lintContext } from './lint-context.ts';
import { lintEvents } from './lint-events.ts';
import { lintTexts } from './lint-texts.ts';
import { findBadUrls, lintUrls } from './lint-urls.ts';
import { type Manifest, manifestSchema } from './manifest.ts';
import type {
  Explanation,
  Finding,
  ManifestProblemCode,
  ManifestWarningCode,
} from './manifest-problem.ts';

interface Findings {
  problems: Finding<ManifestProblemCode>[];
  warnings: Finding<ManifestWarningCode>[];
}

/** @param json the value of the manifest's text; it need not be a valid manifest. */
export function lintManifest(json: unknown, manifestUrl: string): Findings {
  const manifest = soundParts(json);
  return {
    problems: findBadUrls(manifest, manifestUrl),
    warnings: [
      ...lintMembers(json),
      ...lintUrls(manifest, manifestUrl),
      ...lintEvents(manifest, hasMember(json, 'lifecycle')),
      ...lintConfig(manifest),
      ...lintContext(manifest),
      ...lintTexts(manifest),
    ],
  };
}

function hasMember(json: unknown, name: string): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, name);
}

function soundParts(json: unknown): Partial<Manifest> {
  if (typeof json !== 'object' || json === null) return {};
  const shape: Record<string, z.ZodType> = manifestSchema.shape;
  const sound = Object.entries(json).filter(
    ([name, value]) => Object.hasOwn(shape, name) && shape[name]?.safeParse(value).success,
  );
  return Object.fromEntries(sound) as Partial<Manifest>;
}

/** More warnings would hide the important ones. */
const maxUnknown = 50;

function lintMembers(json: unknown): Finding<ManifestWarningCode>[] {
  const warnings: Finding<ManifestWarningCode>[] = [];
  for (const member of unknownMembers(manifestSchema, json)) {
    warnings.push({ path: member.path, part: 'name', ...explainUnknown(member) });
    if (warnings.length >= maxUnknown) break;
  }
  return warnings;
}

function explainUnknown({ path, parent }: UnknownMember): Explanation<ManifestWarningCode> {
  if (path.length === 1 && path[0] === 'data') {
    const message = 'This field has another name since version 2.0.0.';
    return { code: 'CONTEXT_NAMED_DATA', message, fix: 'Write "context".' };
  }
  const absent = memberNames(parent.schema).filter((name) => !Object.hasOwn(parent.value, name));
  const meant = findMeant(String(path.at(-1)), absent);
  const fix = meant ? `Did you mean "${meant}"?` : 'Check its spelling, or remove it.';
  return { code: 'FIELD_UNKNOWN', message: 'This field is not known.', fix };
}
