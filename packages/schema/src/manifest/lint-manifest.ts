/**
 * What a manifest may do but seldom means. Rules look at the parts that the schema takes, so a
 * mistake in one part does not hide the others.
 */
import type { z } from 'zod';
import type { JsonPath } from '../json/json-pointer.ts';
import { unknownMembers } from '../json/unknown-members.ts';
import { lintConfig } from './lint-config.ts';
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

/** @param json what the manifest's text says, be it a manifest or not. */
export function lintManifest(json: unknown, manifestUrl: string): Findings {
  const manifest = soundParts(json);
  return {
    problems: findBadUrls(manifest, manifestUrl),
    warnings: [
      ...lintMembers(json),
      ...lintUrls(manifest, manifestUrl),
      ...lintEvents(manifest),
      ...lintConfig(manifest),
      ...lintTexts(manifest),
    ],
  };
}

function soundParts(json: unknown): Partial<Manifest> {
  if (typeof json !== 'object' || json === null) return {};
  const shape: Record<string, z.ZodType> = manifestSchema.shape;
  const sound = Object.entries(json).filter(
    ([name, value]) => Object.hasOwn(shape, name) && shape[name]?.safeParse(value).success,
  );
  return Object.fromEntries(sound) as Partial<Manifest>;
}

/** More would only push what matters out of sight. */
const maxUnknown = 50;

function lintMembers(json: unknown): Finding<ManifestWarningCode>[] {
  const warnings: Finding<ManifestWarningCode>[] = [];
  for (const { path } of unknownMembers(manifestSchema, json)) {
    warnings.push({ path, part: 'name', ...explainUnknown(path) });
    if (warnings.length >= maxUnknown) break;
  }
  return warnings;
}

function explainUnknown(path: JsonPath): Explanation<ManifestWarningCode> {
  if (path.length === 1 && path[0] === 'data') {
    const message = 'Since version 2.0.0 this field has another name.';
    return { code: 'CONTEXT_NAMED_DATA', message, fix: 'Write "context".' };
  }
  const message = 'The platform is not known to read this field.';
  return { code: 'FIELD_UNKNOWN', message, fix: 'Check its spelling, or remove it.' };
}
