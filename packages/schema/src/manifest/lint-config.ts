/** Configuration fields that may be a mistake. */
import { adviseChoice } from './advise-choice.ts';
import { configFieldTypes } from './config-field.ts';
import type { Manifest } from './manifest.ts';
import type { Finding, ManifestWarningCode } from './manifest-problem.ts';

type Warning = Finding<ManifestWarningCode>;
type Config = NonNullable<Manifest['config']>;

/** Also in German, because the platform is German. */
const secretWords =
  /pass(?:wor[dt]|phrase|code)|pwd|kennwort|secret(?!ar)|geheim|token|credential|zugangsdaten|(?:api|access|private|auth)[-_ ]?(?:key|schl(?:ü|ue)ssel)/i;

export function lintConfig({ config, entryPoints }: Partial<Manifest>): Warning[] {
  return [
    ...lintFields(config, []),
    ...(entryPoints ?? []).flatMap((entry, index) =>
      lintFields(entry.config, ['entryPoints', index]),
    ),
  ];
}

function lintFields(config: Config | undefined, parent: (string | number)[]): Warning[] {
  return (config ?? []).flatMap((field, index) => {
    const path = [...parent, 'config', index];
    return [...lintType(field, path), ...lintSecret(field, path)];
  });
}

function lintType({ type }: Config[number], path: (string | number)[]): Warning[] {
  if ((configFieldTypes as readonly string[]).includes(type)) return [];
  const message = 'This type of field is not known.';
  const fix = adviseChoice(type, configFieldTypes);
  return [{ path: [...path, 'type'], code: 'CONFIG_TYPE_UNKNOWN', message, fix }];
}

function lintSecret({ key, label }: Config[number], path: (string | number)[]): Warning[] {
  if (![key, ...Object.values(label)].some((text) => secretWords.test(text))) return [];
  return [
    {
      path: [...path, 'key'],
      code: 'CONFIG_SECRET_EXPOSED',
      message: "This looks like a secret, and the value reaches every viewer's browser.",
      fix: 'Keep secrets in the back end, or rename the field if it is not a secret.',
    },
  ];
}
