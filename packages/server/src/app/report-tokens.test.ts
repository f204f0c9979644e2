import { expect, test } from 'vitest';
import type { Observation } from '../observation.ts';
import { reportTokens } from './report-tokens.ts';

const installationId = 'an-installation';

test('token operations and the state of installations have names of their own, in the log too, and unusual answers one line', () => {
  const observed: Observation[] = [];
  const logged: string[] = [];
  const keep = (level: string) => (_: unknown, message?: string) =>
    void logged.push(`${level} ${message}`);
  const log = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  const report = reportTokens(log, (observation) => observed.push(observation));
  const broken = { installationId, since: 1, reason: 'invalid_grant' };
  const recovered = { installationId, brokenSince: 1 };
  report({ type: 'saved', installationId, tokenVersion: 2 });
  report({ type: 'installation_broken', ...broken });
  report({ type: 'installation_recovered', ...recovered });

  const respelled = [{ pointer: '/scope', type: 'commas' as const }];
  for (const _ of [1, 2]) report({ type: 'respelled', installationId, respelled });

  expect(observed).toEqual([
    { type: 'token.saved', installationId, tokenVersion: 2 },
    { type: 'installation.broken', ...broken },
    { type: 'installation.recovered', ...recovered },
    { type: 'token.respelled', installationId, respelled },
  ]);
  expect(logged).toEqual([
    'warn token.saved',
    'warn installation.broken',
    'info installation.recovered',
    'info token.respelled',
  ]);
});
