/** The command `dowel validate`. */
import { parseManifest, resolveUrl } from '@dowel/schema';
import { type Command, MisuseError } from './command.ts';
import {
  formatForGithub,
  formatForPeople,
  type ManifestFinding,
  type ManifestReport,
} from './manifest-report.ts';
import { type ManifestSource, readManifestSource } from './manifest-source.ts';

/** Stands for the URL of a file's manifest, which only `--url` tells. */
const anyUrl = 'http://localhost/manifest.json';

const formats = ['text', 'json', 'github'];

export const validateManifest: Command = {
  summary: 'check ./manifest.json or another one: exit code 1 if it has errors',
  takes: ['[FILE|URL]'],
  options: ['url', 'format'],
  flags: ['strict'],
  ignoresSettings: true,
  async run({ args, options, flags, environment, print }) {
    const { GITHUB_ACTIONS, GITHUB_WORKSPACE: root } = environment;
    const { format = GITHUB_ACTIONS === 'true' ? 'github' : 'text' } = options;
    if (!formats.includes(format)) {
      throw new MisuseError(`--format must be ${formats.join(' | ')}.`);
    }
    const manifestUrl = options.url === undefined ? undefined : manifestUrlBelow(options.url);
    const [source = 'manifest.json'] = args;
    const report = checkManifest(await readManifestSource(source), manifestUrl);
    print(report.findings, () =>
      format === 'github' ? formatForGithub(report, root) : formatForPeople(report),
    );
    const refused = report.findings.filter(
      ({ severity }) => severity === 'error' || flags.has('strict'),
    );
    return refused.length > 0 ? 1 : 0;
  },
};

function manifestUrlBelow(publicUrl: string): string {
  try {
    return resolveUrl('manifest.json', publicUrl.replace(/\/*$/, '/')).href;
  } catch {
    throw new MisuseError(
      '--url must be the http(s) URL of the plug-in, such as https://plugin.example.com.',
    );
  }
}

/** @param manifestUrl where the platform will read it. Default: where it was read, or anywhere. */
function checkManifest(source: ManifestSource, manifestUrl = source.url): ManifestReport {
  if (source.redirect) return { source, findings: [toFinding(source.redirect, 'error')] };
  const parsed = parseManifest(source.text, manifestUrl ?? anyUrl);
  const problems = parsed.ok ? [] : parsed.problems;
  const warnings = parsed.warnings.filter(
    ({ code }) => manifestUrl !== undefined || code !== 'URL_FOREIGN_ORIGIN',
  );
  const findings = [
    ...problems.map((each) => toFinding(each, 'error')),
    ...warnings.map((each) => toFinding(each, 'warning')),
  ];
  return { source, findings: findings.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

type Found = Omit<ManifestFinding, 'path' | 'severity' | 'hint'> & { pointer: string; fix: string };

function toFinding(found: Found, severity: ManifestFinding['severity']): ManifestFinding {
  const { pointer: path, line, column, code, message, fix: hint } = found;
  return { path, line, column, code, severity, message, hint };
}
