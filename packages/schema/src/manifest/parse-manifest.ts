/**
 * Turns the text of a `manifest.json` into a manifest, or into problems that say what is wrong, where, and
 * how to fix it (Spec §2.1; the rules: docs/errors.md).
 */
import { offsetOf } from '../json/json-node.ts';
import { jsonPointer } from '../json/json-pointer.ts';
import { readJson } from '../json/read-json.ts';
import { createTextPositions } from '../json/text-positions.ts';
import { plainWords } from '../plain-words.ts';
import { resolveUrl } from '../urls.ts';
import { explainIssue } from './explain-issue.ts';
import { lintManifest } from './lint-manifest.ts';
import { type Manifest, manifestSchema } from './manifest.ts';
import type { Finding, ManifestProblem, ManifestWarning } from './manifest-problem.ts';
import { type ServedManifest, servedManifestSchema } from './served-manifest.ts';

export type ParsedManifest =
  | { ok: true; manifest: Manifest; warnings: ManifestWarning[] }
  | { ok: false; problems: ManifestProblem[]; warnings: ManifestWarning[] };

/** What a back end uses of its own manifest, or the problems for which it cannot be served. */
type ParsedServedManifest =
  | { ok: true; manifest: ServedManifest; warnings: (ManifestProblem | ManifestWarning)[] }
  | { ok: false; problems: ManifestProblem[]; warnings: (ManifestProblem | ManifestWarning)[] };

const maxBytes = 256 * 1024;
/** The limit for problems, and for warnings. */
const maxReported = 100;

/**
 * Returns for any text, in time proportional to its length. Problems and warnings are in the order of
 * the text, at most 100 of each.
 *
 * @example
 * const parsed = parseManifest(text, 'https://plugin.example.com/manifest.json');
 * const problems = parsed.ok ? [] : parsed.problems.map(({ message, fix }) => `${message} ${fix}`);
 *
 * @param url where the text was read from: relative URLs are resolved against it.
 * @throws TypeError when `url` is not an http(s) URL.
 */
export function parseManifest(text: string, url: string): ParsedManifest {
  const manifestUrl = resolveUrl(url, url).href;
  const { syntax, value, locate } = readText(text);
  if (!locate) return { ok: false, problems: syntax.slice(0, maxReported), warnings: [] };

  const parsed = manifestSchema.safeParse(value, { error: plainWords });
  const lint = lintManifest(value, manifestUrl);
  const issues = parsed.error?.issues.slice(0, maxReported) ?? [];
  const found = [...issues.map((issue) => explainIssue(issue, value)), ...lint.problems];
  const problems = inOrder([...syntax, ...found.map(locate)]);
  const warnings = inOrder(lint.warnings.map(locate));
  if (parsed.success && problems.length === 0) {
    return { ok: true, manifest: parsed.data, warnings };
  }
  return { ok: false, problems, warnings };
}

/**
 * Returns what a back end uses of its own manifest. It refuses only what cannot be served: a text that is no JSON
 * object, and a `lifecycle` or `apiAccess` whose URL cannot be used. An `apiAccess` without a URL counts as left out. The
 * other problems that {@link parseManifest} finds are among the warnings. Problems and warnings are in the order of the text, at most 100 of each.
 *
 * @example
 * const served = parseServedManifest(text, 'https://plugin.example.com/manifest.json');
 * const eventsAt = served.ok ? served.manifest.lifecycle?.url : undefined;
 *
 * @param url where the platform reads the manifest: relative URLs are resolved against it.
 * @throws TypeError when `url` is not an http(s) URL.
 */
export function parseServedManifest(text: string, url: string): ParsedServedManifest {
  const linted = parseManifest(text, url);
  const { syntax, value, locate } = readText(text);
  if (!locate) return { ...linted, ok: false, problems: syntax.slice(0, maxReported) };

  const served = servedManifestSchema(url).safeParse(value, { error: plainWords });
  const issues = served.error?.issues ?? [];
  const problems = inOrder([
    ...syntax,
    ...issues.map((issue) => locate(explainIssue(issue, value))),
  ]);
  const refused = new Set(problems.map(({ pointer }) => pointer));
  const tolerated = linted.ok ? [] : linted.problems.filter(({ pointer }) => !refused.has(pointer));
  const warnings = inOrder([...linted.warnings, ...tolerated]);
  if (served.success && problems.length === 0) {
    return { ok: true, manifest: served.data, warnings };
  }
  return { ok: false, problems, warnings };
}

/** The value of a text and its syntax errors. Without a value, nothing in it can be located. */
function readText(text: string) {
  if (isTooLong(text)) return { syntax: [tooLong] };
  const { root, faults } = readJson(text);
  const positionOf = createTextPositions(text);
  const syntax = faults.map(
    ({ offset, path, ...explanation }): ManifestProblem => ({
      ...explanation,
      pointer: jsonPointer(path),
      ...positionOf(offset),
    }),
  );
  if (!root) return { syntax };
  const locate = <Code extends string>({ path, part, ...explanation }: Finding<Code>) => ({
    ...explanation,
    pointer: jsonPointer(path),
    ...positionOf(offsetOf(root, path, part ?? 'value')),
  });
  return { syntax, value: root.value, locate };
}

const tooLong: ManifestProblem = {
  code: 'MANIFEST_TOO_LONG',
  pointer: '',
  line: 1,
  column: 1,
  message: 'The manifest is longer than 256 KiB.',
  fix: 'Move texts and pictures to other files, and write their URLs.',
};

/** The second check is short: a text of n UTF-16 units has at most 3n bytes. */
function isTooLong(text: string): boolean {
  return text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes;
}

function inOrder<Entry extends ManifestProblem | ManifestWarning>(entries: Entry[]): Entry[] {
  return entries.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, maxReported);
}
