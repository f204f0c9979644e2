import { installationStateSchema } from '@dowel/admin-api';
import { describe, expect, it } from 'vitest';
import { brokenFixture, installationFixture, serverNow } from '../testing/fixtures.ts';
import { i18nOf } from '../testing/i18n-of.ts';
import { causeOf, nameReasons } from './cause.ts';
import { describeNext } from './next-step.ts';

const { t } = i18nOf('en');

describe('what happens next', () => {
  it.each(installationStateSchema.options)('is said of %s', (state) => {
    expect(describeNext(t, state, installationFixture(), serverNow)).not.toMatch(/^next\./);
  });

  it('is a countdown where a time is planned, and never "soon"', () => {
    expect(describeNext(t, 'awaiting', brokenFixture(), serverNow)).toBe('Asks again in 1:12');
    expect(describeNext(t, 'awaiting', brokenFixture({ nextAttempt: null }), serverNow)).toBe(
      'Asks at the next call',
    );
  });

  it('names parked hooks where nothing else is wrong', () => {
    const row = installationFixture({ parkedHooks: 2 });
    expect(describeNext(t, 'active', row, serverNow)).toBe('2 hooks wait for you');
    expect(describeNext(t, 'idle', row, serverNow)).toBe('2 hooks wait for you');
    const broken = brokenFixture({ parkedHooks: 2 });
    expect(describeNext(t, 'awaiting', broken, serverNow)).toBe('Asks again in 1:12');
  });

  it('says that Dowel cannot ask when the platform gave no usable trigger', () => {
    expect(describeNext(t, 'awaiting', brokenFixture({ canAsk: false }), serverNow)).toBe(
      'Cannot ask: no usable trigger',
    );
  });
});

describe('the cause', () => {
  it.each([
    ['invalid_grant', 'awaiting', 'refused'],
    ['invalid_client', 'awaiting', 'refused'],
    ['server_error', 'failing', 'endpoint'],
    ['token_endpoint_answered_503', 'failing', 'endpoint'],
    ['scope_missing', 'awaiting', 'scope'],
    ['scope_missing', 'install_refused', 'scope_install'],
    ['teapot_mood', 'awaiting', 'other'],
    ['no_tokens', undefined, 'no_event'],
    ['unreachable', undefined, 'endpoint'],
  ] as const)('%s while %s is %s', (reason, state, cause) => {
    expect(causeOf(reason, state)).toBe(cause);
  });

  it('of a pending one without a reason is the missing event', () => {
    expect(causeOf(null, 'no_tokens')).toBe('no_event');
    expect(causeOf(null, 'active')).toBeUndefined();
  });

  it('has a name, which distinguishes reasons of one cause', () => {
    const reasons = [
      'scope_missing',
      'token_endpoint_unreachable',
      'token_endpoint_answered_503',
      'server_error',
    ];
    expect([...nameReasons(t, reasons).values()]).toEqual([
      'Scope missing',
      'Token endpoint fails: no answer',
      'Token endpoint fails: 503',
      'Token endpoint fails (server_error)',
    ]);
    expect(nameReasons(t, ['server_error']).get('server_error')).toBe('Token endpoint fails');
    const ofCalls = nameReasons(t, ['platform_5xx', 'timed_out', 'platform_unreachable']);
    expect([...ofCalls.values()]).toEqual([
      'Platform failed',
      'No answer in time',
      'No connection',
    ]);
  });
});
