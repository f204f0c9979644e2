/** The BFF's configuration, from environment variables. Each problem is one line that says how to mend it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readStoreSettings } from '@dowel/installation-store';
import { parseTrustRules } from '@dowel/platform-jwt';
import { z } from 'zod';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const url = z
  .url({
    protocol: /^https?$/,
    error: 'must be an http(s) URL, such as https://plugin.example.com',
  })
  .transform((text) => new URL(text).origin);

const trustRules = z.string().transform((text, context) => {
  try {
    return parseTrustRules(text, { readKeyFile: (path) => readFileSync(path, 'utf8') });
  } catch (error) {
    context.addIssue({ code: 'custom', message: `: ${(error as Error).message}` });
    return z.NEVER;
  }
});

const environmentSchema = z.object({
  DOWEL_HOST: z.string().default('127.0.0.1'),
  DOWEL_PORT: z.coerce
    .number('must be a port number from 1 to 65535')
    .int('must be a port number from 1 to 65535')
    .min(1, 'must be a port number from 1 to 65535')
    .max(65_535, 'must be a port number from 1 to 65535')
    .default(4310),
  DOWEL_PUBLIC_URL: url.optional(),
  DOWEL_MANIFEST: z.string().min(1).default('manifest.json'),
  DOWEL_TRUST: trustRules.default([]),
  DOWEL_INTERNAL_HOSTS: z
    .string()
    .regex(
      /^[A-Za-z0-9.:,\s[\]-]*$/,
      'must be hosts separated by commas, such as intranet.local,keys.local:8443',
    )
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((host) => host !== '')),
  DOWEL_PROXY_HOPS: z.coerce
    .number('must be the number of reverse proxies in front, 0 to 10')
    .int()
    .min(0)
    .max(10, 'must be the number of reverse proxies in front, 0 to 10')
    .default(0),
  NODE_TLS_REJECT_UNAUTHORIZED: z
    .string()
    .refine((value) => value !== '0', {
      error: 'must not be 0: whoever is between could read every token. Remove it.',
    })
    .optional(),
  DOWEL_HISTORY_DAYS: z.coerce
    .number('must be a number of days from 1 to 3650')
    .int('must be a number of days from 1 to 3650')
    .min(1, 'must be a number of days from 1 to 3650')
    .max(3650, 'must be a number of days from 1 to 3650')
    .default(30),
  DOWEL_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info'),
});

/** @throws ConfigError with one line for each variable that is wrong. */
export function readConfig(environment: Record<string, string | undefined>) {
  // An empty variable, as in `DOWEL_PORT=`, is one that is not set.
  const present = Object.entries(environment).filter(([, value]) => value !== '');
  const parsed = environmentSchema.safeParse(Object.fromEntries(present));
  const problems = (parsed.error?.issues ?? []).map(({ path, message }) =>
    `${path.join('.')} ${message}`.replace(' :', ':'),
  );
  const store = readStore(environment, problems);
  if (!parsed.success || !store) throw new ConfigError(problems.join('\n'));
  const variables = parsed.data;
  return {
    ...store,
    host: variables.DOWEL_HOST,
    port: variables.DOWEL_PORT,
    /** The origin that browsers and the platform see. */
    publicUrl: variables.DOWEL_PUBLIC_URL ?? `http://localhost:${variables.DOWEL_PORT}`,
    manifestPath: resolve(variables.DOWEL_MANIFEST),
    trustRules: variables.DOWEL_TRUST,
    /** Hosts of tenants and keys that may have private addresses. */
    internalHosts: variables.DOWEL_INTERNAL_HOSTS,
    /** Reverse proxies in front whose X-Forwarded-For is believed. */
    proxyHops: variables.DOWEL_PROXY_HOPS,
    /** How long events and token operations are kept. */
    historyDays: variables.DOWEL_HISTORY_DAYS,
    logLevel: variables.DOWEL_LOG_LEVEL,
  };
}

function readStore(environment: Record<string, string | undefined>, problems: string[]) {
  try {
    return readStoreSettings(environment);
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}
