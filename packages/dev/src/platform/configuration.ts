/**
 * The emulator's settings, from environment variables. Each problem is one line that says what to write.
 */
import { describeUnknownSettings, parsePort } from '@dowel/settings';
import { emulatorSettings } from './emulator-settings.ts';

export interface Configuration {
  port: number;
  /** Interface to listen on; the URL always says `localhost`. */
  host: string;
  /** File that keeps the state between starts. Default: the state is in memory only. */
  statePath: string | undefined;
  /** URL of the manifest that the pages suggest for installation. */
  sampleManifestUrl: string;
  /** Format of the request that carries an event's JWT. */
  eventFormat: 'form' | 'json';
  /** Form of the `src` of widgets' pages. Default: as the state file has it, else composed. */
  src: SrcForm | undefined;
}

const srcForms = ['composed', 'instance', 'plugin-id', 'opaque'] as const;
type SrcForm = (typeof srcForms)[number];

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** @throws ConfigurationError with one line for each wrong or unknown variable. */
export function parseConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const problems = describeUnknownSettings(env, {
    EMULATOR: Object.keys(emulatorSettings),
  });
  const configuration = {
    port: readPort(env.EMULATOR_PORT || '4300', problems),
    host: env.EMULATOR_HOST || 'localhost',
    statePath: env.EMULATOR_STATE || undefined,
    sampleManifestUrl: readManifestUrl(
      env.EMULATOR_SAMPLE_MANIFEST || 'http://localhost:4310/manifest.json',
      problems,
    ),
    eventFormat: readFormat(env.EMULATOR_EVENT_FORMAT || 'form', problems),
    src: env.EMULATOR_SRC ? readSrcForm(env.EMULATOR_SRC, problems) : undefined,
  };
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'));
  return configuration;
}

function readPort(text: string, problems: string[]): number {
  const port = parsePort(text);
  if (port === undefined) problems.push('EMULATOR_PORT must be a port number from 1 to 65535');
  return port ?? 0;
}

function readFormat(text: string, problems: string[]): 'form' | 'json' {
  if (text === 'form' || text === 'json') return text;
  problems.push('EMULATOR_EVENT_FORMAT must be form or json');
  return 'form';
}

function readSrcForm(text: string, problems: string[]): SrcForm | undefined {
  const form = srcForms.find((each) => each === text);
  if (!form) problems.push(`EMULATOR_SRC must be ${srcForms.join(', ')}`);
  return form;
}

function readManifestUrl(text: string, problems: string[]): string {
  if (['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')) return text;
  problems.push(
    'EMULATOR_SAMPLE_MANIFEST must be an http(s) URL, such as http://localhost:4310/manifest.json',
  );
  return '';
}
