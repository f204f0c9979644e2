/** The output of `npm start` when everything runs. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { keyLocationMatches } from '../packages/platform-jwt/src/keys/key-binding.ts';
import { parseTrustRules } from '../packages/platform-jwt/src/keys/trust-rules.ts';
import { issuerMatches } from '../packages/schema/src/issuer-pattern.ts';
import { root } from './run-step.ts';

export interface Running {
  emulatorUrl: string;
  /** The value of DOWEL_TRUST that the back end has started with. */
  trust: string;
  dataDir: string;
  backEnd: {
    url: string;
    signIn?: { url: string; until: string };
    /** From the back end: apps/bff/src/start-announcement.ts. */
    eventLines?: readonly string[];
    warnings?: readonly string[];
  };
}

/** The rule of DOWEL_TRUST that trusts only the emulator. */
export function emulatorTrust(emulatorUrl: string): string {
  return `${emulatorUrl}=${emulatorUrl}/certificates/`;
}

export function describeStart({ emulatorUrl, trust, dataDir, backEnd }: Running): string {
  const { url, eventLines = [], warnings = [] } = backEnd;
  const isTrusted = trustsEmulator(trust, emulatorUrl);
  const notices = isTrusted ? warnings : [...warnings, describeDistrust(emulatorUrl)];
  return `
  Dowel is running.
${notices.map((notice) => `\n  ${notice}\n`).join('')}
    Platform emulator   ${emulatorUrl}${isTrusted ? '' : '   (not trusted)'}
    Sample plug-in      ${url}/manifest.json
    Back end (BFF)      ${url}
    Admin dashboard     ${url}/admin/

  The back end
${eventLines.map((line) => `    ${line}`).join('\n')}

${describeSignIn(backEnd)}

  What to do first:
    1. ${isTrusted ? 'Open the emulator and sign in as anyone.' : 'Open the platform that DOWEL_TRUST names.'}
    2. Under "Plug-ins", install ${url}/manifest.json and place its widget.
    3. Send a notification from inside the widget, and watch the dashboard.

  Logs are in ${join(dataDir, 'logs')}. Ctrl-C ends everything.
`;
}

/** In production the back end sends no link. */
function describeSignIn({ signIn }: Running['backEnd']): string {
  if (!signIn) {
    return `  To sign in to the dashboard, get a link: npm run dowel sign-in. It needs the same settings DOWEL_… as this start.`;
  }
  return `  Sign in to the dashboard, once, with this link, until ${signIn.until}:
    ${signIn.url}
  Later, "npm run dowel sign-in" prints another one. It needs the same settings DOWEL_… as this start.`;
}

/** The back end has read the same rules, so they are valid. */
function trustsEmulator(trust: string, emulatorUrl: string): boolean {
  const rules = parseTrustRules(trust, {
    readKeyFile: (path) => readFileSync(resolve(root, path), 'utf8'),
  });
  return rules.some(
    (rule) =>
      issuerMatches(rule, emulatorUrl) &&
      // The emulator's key may be in a file.
      (rule.keys.kind === 'static' ||
        keyLocationMatches(rule.keys, `${emulatorUrl}/certificates/key.jwk.json`)),
  );
}

function describeDistrust(emulatorUrl: string): string {
  return `DOWEL_TRUST leaves the emulator out: the back end refuses its events, so installing the plug-in
  in the emulator fails. To use the emulator, remove DOWEL_TRUST (from .env, from the environment), or
  add this rule to it, after a comma, and restart:
    ${emulatorTrust(emulatorUrl)}`;
}
