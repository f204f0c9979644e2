/** Texts that some readers will not see. */
import type { Manifest } from './manifest.ts';
import type { Finding, ManifestWarningCode } from './manifest-problem.ts';

type Warning = Finding<ManifestWarningCode>;
type Texts = Manifest['name'];

/** The language, and what else BCP 47 allows behind it. */
const languageTag = /^[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/;

export function lintTexts({ name, description, entryPoints }: Partial<Manifest>): Warning[] {
  return [
    ...lintText(name, ['name']),
    ...lintText(description, ['description']),
    ...(entryPoints ?? []).flatMap((entry, index) => [
      ...lintText(entry.name, ['entryPoints', index, 'name']),
      ...lintText(entry.description, ['entryPoints', index, 'description']),
    ]),
  ];
}

function lintText(texts: Texts | undefined, path: (string | number)[]): Warning[] {
  if (!texts) return [];
  const unusual = Object.keys(texts)
    .filter((language) => !languageTag.test(language))
    .map(
      (language): Warning => ({
        path: [...path, language],
        part: 'name',
        code: 'LANGUAGE_UNUSUAL',
        message: 'This is no language as the platform writes them.',
        fix: 'Write the lower-case code, such as "en" or "de".',
      }),
    );
  if (Object.keys(texts).some((language) => /^en\b/.test(language))) return unusual;
  const message = 'There is no English text: readers of other languages may see nothing.';
  return [
    ...unusual,
    { path, part: 'name', code: 'TEXT_WITHOUT_ENGLISH', message, fix: 'Add "en": "…".' },
  ];
}
