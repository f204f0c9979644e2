/** `.env.example`, from the tables of settings. `pnpm generate` writes it; a test compares it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emulatorSettings } from '../packages/dev/src/platform/emulator-settings.ts';
import { secretNames, settings } from '../packages/server/src/settings/settings.ts';
import { root } from './run-step.ts';

const path = join(root, '.env.example');

const introduction = [
  'Copy to .env to change a default: npm start and dowel read it, a back end of its own with node --env-file=.env. Nothing here is needed for local work. A name that is not here is an error, so a typo never falls back to the default. A variable of the environment counts before the one in this file, unless it is empty.',
  `A secret can be in a file, as Kubernetes and Docker mount it: DOWEL_DATABASE_URL_FILE=/run/secrets/database-url instead of DOWEL_DATABASE_URL. This holds for ${secretNames.join(', ')}. Line breaks at the end of the file are cut.`,
];

export function renderEnvExample(): string {
  const rows = Object.entries({ ...emulatorSettings, ...settings });
  return [
    ...introduction.map((text) => `${comment(text)}\n`),
    ...rows.map(([name, { text, example, ...row }]) => {
      const range =
        'range' in row && row.range ? ` From ${row.range.min} to ${row.range.max}.` : '';
      return `${comment(text + range)}\n# ${name}=${example}\n`;
    }),
  ].join('\n');
}

/** Breaks the text into lines of at most 110 characters. */
function comment(text: string): string {
  return text.replace(/(.{1,108})(?: |$)/g, '# $1\n').trimEnd();
}

export const readEnvExample = () => readFileSync(path, 'utf8');

if (import.meta.main) writeFileSync(path, renderEnvExample());
