/** What `dowel validate` found, for people and for GitHub Actions. */
import { relative, resolve } from 'node:path';
import { countOf } from './command.ts';
import type { ManifestSource } from './manifest-source.ts';

/** An entry of the list that `--format json` prints: packages/cli/README.md describes it. */
export interface ManifestFinding {
  path: string;
  line: number;
  column: number;
  code: string;
  severity: 'error' | 'warning';
  message: string;
  hint: string;
}

export interface ManifestReport {
  source: ManifestSource;
  findings: ManifestFinding[];
}

/** Each finding with the lines around it. */
export function* formatForPeople({ source, findings }: ManifestReport): Generator<string> {
  const lines = source.text.split(/\r\n|\n|\r/);
  for (const finding of findings) {
    const { path, line, column, severity, message, hint } = finding;
    const place = source.text && `:${line}:${column}`;
    yield `${source.name}${place} ${severity}${path && ` at ${path}`}: ${message} ${hint}`;
    if (source.text) yield* frame(lines, finding);
    yield '';
  }
  yield summarize({ source, findings });
}

/** Longer lines are cut around the place, such as those of a manifest without line breaks. */
const frameWidth = 100;

function* frame(lines: readonly string[], { line, column }: ManifestFinding): Generator<string> {
  const start = column > frameWidth ? column - frameWidth / 2 : 0;
  const width = String(line + 1).length;
  for (const number of [line - 1, line, line + 1]) {
    const text = lines[number - 1]?.slice(start, start + frameWidth);
    if (text === undefined) continue;
    yield `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`.trimEnd();
    if (number === line) yield `  ${' '.repeat(width)} | ${' '.repeat(column - 1 - start)}^`;
  }
}

function summarize({ source, findings }: ManifestReport): string {
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count > 0 ? countOf(count, severity) : [];
  });
  return `${source.name} ${counts.length > 0 ? `has ${counts.join(' and ')}` : 'is valid'}.`;
}

/**
 * One workflow command for each finding, which GitHub shows beside the line of the file:
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 *
 * @param root the repository's folder. Default: the working folder.
 */
export function* formatForGithub(report: ManifestReport, root = ''): Generator<string> {
  const { source, findings } = report;
  const file = relative(root, resolve(source.name));
  for (const { path, line, column, severity, message, hint } of findings) {
    const properties = source.url
      ? { title: `${source.name} ${path}`.trimEnd() }
      : { file, line, col: column, title: path || 'manifest' };
    const written = Object.entries(properties).map(
      ([name, value]) => `${name}=${escapeProperty(String(value))}`,
    );
    yield `::${severity} ${written.join(',')}::${escapeText(`${message} ${hint}`)}`;
  }
  yield summarize(report);
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
