/** Clocks, contexts, policies and frames that the plug-in's page cannot choose. */
import type { Case, Group, PageSettings } from './case.ts';

const minuteMs = 60_000;

function clock(name: string, expected: Case['expected'], clockOffsetMs: number): Case {
  return { name: `a device clock ${name}`, expected, page: { clockOffsetMs } };
}

export const clocks: Group = {
  title: 'a device clock may be five minutes off, and no more',
  cases: [
    clock('four minutes fast does no harm', 'first', 4 * minuteMs),
    clock('four minutes slow does no harm', 'first', -4 * minuteMs),
    clock('seven minutes fast is named', 'ERR4', 7 * minuteMs),
    clock('seven minutes slow is named', 'ERR5', -7 * minuteMs),
    clock('ten years fast is named', 'ERR4', 10 * 365 * 24 * 60 * minuteMs),
    clock('at the year 1970 is named', 'ERR5', -56 * 365 * 24 * 60 * minuteMs),
    {
      ...clock('two hours fast is no matter where the plug-in says so', 'first', 120 * minuteMs),
      options: () => ({ clockToleranceMs: Infinity }),
    },
  ],
};

export const surroundings: Group = {
  title: 'a page that cannot be safe says why',
  cases: [
    {
      name: 'a page without src has no host',
      expected: 'ERR_NOT_EMBEDDED',
      page: { withoutSrc: true },
    },
    {
      name: 'a page inside an insecure one has no WebCrypto',
      expected: 'ERR0',
      page: { host: 'insecure' },
    },
    {
      name: 'a CSP that forbids the key host is a key that cannot be loaded',
      expected: 'ERR7',
      page: { csp: 'no-keys' },
    },
    {
      name: 'a host of the plug-in’s own origin is a host like any',
      expected: 'first',
      page: { host: 'plugin' },
      forgery: { iss: ({ plugin }) => plugin },
    },
    {
      name: 'an adapter file of another hash does not load',
      expected: 'not loaded',
      page: { integrity: 'wrong' },
      needs: 'integrity',
    },
  ],
};

const sandboxes: Record<string, PageSettings> = {
  'no sandbox': {},
  'a sandbox with its own origin': {
    sandbox: 'allow-scripts allow-forms allow-popups allow-downloads allow-same-origin',
  },
  'a sandbox of opaque origin': {
    sandbox: 'allow-scripts allow-forms allow-popups allow-downloads',
  },
};

export const compatibility: Group = {
  title: 'the adapter works in every frame that the platform may give it',
  cases: Object.entries(sandboxes).flatMap(([frame, sandbox]) =>
    [{}, { csp: 'strict' as const }, { csp: 'strict' as const, integrity: 'right' as const }].map(
      (settings): Case => ({
        name: `the handshake ends in ${frame}${'csp' in settings ? ', strict CSP' : ''}${'integrity' in settings ? ', file by its hash' : ''}`,
        expected: 'first',
        page: { ...sandbox, ...settings, isFar: true },
        needs: 'integrity' in settings ? 'integrity' : undefined,
      }),
    ),
  ),
};
