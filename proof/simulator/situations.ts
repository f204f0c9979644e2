/** Situations that a run counts. If one no longer occurs, the simulator tests too little. */
export const situations = [
  'a refresh stored tokens',
  'lease: held by another',
  'lease: backing off',
  'lease: rate limited',
  'lease: moved',
  'lease: spent',
  'lease: gone',
  'lease: lapsed before sending',
  'lease: taken back after its answer was lost',
  'refresh: answer lost',
  'request: arrived after its sender gave up',
  'refresh: refused',
  'refresh: late commit dropped',
  'tokens unsaved',
  'tokens saved later',
  'grant parked',
  'recovered by a trigger',
  'trigger: taken',
  'trigger: not taken',
  'trigger: by heal',
  'trigger: after an unfinished exchange',
  'event: unsolicited',
  'event: during a refresh',
  'event: repeated',
  'event: superseded',
  'event: after uninstall',
  'event: joined another process',
  'event: exchange failed in passing',
  'event: exchange refused',
  'event: code presented again',
  'installation failed',
  'uninstalled',
  'uninstalled before it was known',
  'installed again',
  'database away',
  'database: outcome lost',
  'commit: acknowledged late',
  'disk slow',
  'value damaged',
  'shut down',
  'killed',
  'killed between answer and commit',
  'killed inside an exchange',
  'answer read after the lease',
  'woken from sleep',
  'clock stepped',
  'database clock stepped',
  'neighbours crowd an origin',
  'first callers crowd an origin',
  'answer: its body lasts',
  'body: broke off',
  'body: left by its reader',
  'call: succeeded',
  'call: with a living token',
  'call: 401 and a second try',
  'call: second 401 and a third try',
  'call: third 401 and a fourth try',
  'call: REFRESH_FAILED',
  'call: TOKEN_UNAVAILABLE',
  'call: CALL_TIMED_OUT',
  'call: GRANT_NOT_FOUND',
  'call: left by its caller',
] as const;

export type Situation = (typeof situations)[number];

export type Counts = Record<Situation, number>;

export function noCounts(): Counts {
  return Object.fromEntries(situations.map((situation) => [situation, 0])) as Counts;
}

export function addCounts(sum: Counts, counts: Counts): void {
  for (const situation of situations) sum[situation] += counts[situation];
}
