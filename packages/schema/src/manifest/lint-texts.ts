/** Texts that some readers do not see. */
import type { Manifest } from './manifest.ts';
import type { Finding, ManifestWarningCode } from './manifest-problem.ts';

type Warning = Finding<ManifestWarningCode>;
type Texts = Manifest['name'];

/** The language, and the parts that BCP 47 allows after it. */
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
        message: 'This is not a language code of the platform.',
        fix: 'Write the lower-case code, such as "en" or "de".',
      }),
    );
  if (Object.keys(texts).some((language) => /^en\b/.test(language))) return unusual;
  const message = 'There is no English text: readers of other languages may see no text.';
  return [
    ...unusual,
    { path, part: 'name', code: 'TEXT_WITHOUT_ENGLISH', message, fix: 'Add "en": "…".' },
  ];
}
