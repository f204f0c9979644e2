import type { JsonFaultCode } from '../json/json-fault.ts';
import type { JsonPath } from '../json/json-pointer.ts';
import type { TextPosition } from '../json/text-positions.ts';

/**
 * Why a manifest cannot be used. Each code is in docs/errors.md with what to do.
 *
 * - `MANIFEST_TOO_LONG`: more than 256 KiB.
 * - `JSON_…`: the text is not JSON.
 * - `FIELD_MISSING`, `FIELD_TYPE_WRONG`, `FIELD_VALUE_WRONG`: the value does not fit the schema.
 * - the others: a rule between several fields.
 */
export type ManifestProblemCode =
  | JsonFaultCode
  | 'MANIFEST_TOO_LONG'
  | 'FIELD_MISSING'
  | 'FIELD_TYPE_WRONG'
  | 'FIELD_VALUE_WRONG'
  | 'URL_INVALID'
  | 'ACCESS_TOKEN_LISTED'
  | 'API_ACCESS_ENTRY_DUPLICATE'
  | 'ENTRY_POINT_ID_DUPLICATE'
  | 'ENTRY_POINT_CONFIG_AMBIGUOUS'
  | 'CONFIG_KEY_DUPLICATE'
  | 'CONFIG_OPTIONS_MISSING'
  | 'CONFIG_PATTERN_INVALID'
  | 'CONFIG_LENGTHS_CROSSED'
  | 'CONFIG_DEFAULT_UNFIT';

/** Allowed, but probably a mistake: docs/errors.md. */
export type ManifestWarningCode =
  | 'FIELD_UNKNOWN'
  | 'MANIFEST_VERSION_UNKNOWN'
  | 'CONTEXT_NAMED_DATA'
  | 'ENTRY_DUPLICATE'
  | 'TEXT_WITHOUT_ENGLISH'
  | 'LANGUAGE_UNUSUAL'
  | 'CONTEXT_MISSPELT'
  | 'URL_INSECURE'
  | 'URL_FOREIGN_ORIGIN'
  | 'BASE_URL_WITHOUT_SLASH'
  | 'BASE_URL_WITH_QUERY'
  | 'BASE_URL_ENDS_IN_EVENT'
  | 'API_ACCESS_VERSION_OLD'
  | 'API_ACCESS_WITHOUT_LIFECYCLE'
  | 'LIFECYCLE_EVENT_MISSING'
  | 'INSTANCE_EVENT_MISSING'
  | 'CONFIG_TYPE_UNKNOWN'
  | 'CONFIG_SECRET_EXPOSED';

/** An explanation with its position in the manifest. */
export interface Explanation<Code extends string = ManifestProblemCode | ManifestWarningCode> {
  code: Code;
  /** What is wrong: one sentence. */
  message: string;
  /** How to fix it: one sentence. */
  fix: string;
}

/** An explanation without its position in the text. */
export interface Finding<Code extends string = ManifestProblemCode | ManifestWarningCode>
  extends Explanation<Code> {
  path: JsonPath;
  /** Refers to the member's name and not to its value. */
  part?: 'name';
}

interface Located extends TextPosition {
  /** RFC 6901; empty for the whole. */
  pointer: string;
}

export interface ManifestProblem extends Explanation<ManifestProblemCode>, Located {}
export interface ManifestWarning extends Explanation<ManifestWarningCode>, Located {}
