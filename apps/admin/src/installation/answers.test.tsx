import { act, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  failingFixture,
  installationFixture,
  serverNow,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

const dayMs = 86_400_000;

async function readAnswers(): Promise<string[]> {
  const answers = await screen.findByRole('region', { name: 'In short' });
  return within(answers)
    .getAllByRole('heading')
    .map((heading) => heading.parentElement?.textContent ?? '');
}

describe('the answers about an installation', () => {
  it.each([
    brokenFixture({ canAsk: false }),
    installationFixture({ state: 'expiring', condition: 'expiring', canAsk: false }),
    installationFixture({
      state: 'ran_out',
      condition: 'expiring',
      canAsk: false,
      tokenExpiresAt: serverNow - 1,
    }),
  ])('send to a new install when Dowel cannot ask: $state', async (installation) => {
    const details = [detailFixture({ installation })];
    renderAdmin(createFakeBff({ details }), `/installations/${installation.id}`);

    const [, , next, help] = await readAnswers();

    expect(help).toContain('Have the tenant’s administrator install the plug-in again.');
    expect(help).not.toContain('Ask for a new event');
    expect(next).not.toContain('asks');
    expect(next).toContain('with a new install');
  });

  it.each([
    ['expired', 'came 1,412 s too late'],
    ['not_yet_valid', 'dated 1,412 s ahead'],
  ])('name a clock that differs, for %s, with the event', async (reason, words) => {
    const at = serverNow - 60_000;
    const clockSkew = { id: 'late', at, event: 'install', reason, offBySeconds: 1_412 } as const;
    const details = [detailFixture({ clockSkew })];
    renderAdmin(createFakeBff({ details }), '/installations/acme');

    const [happened] = await readAnswers();

    expect(happened).toContain(words);
    const link = screen.getByRole('link', { name: 'Show the event' });
    expect(link.getAttribute('href')).toMatch(/events\?delivery=late$/);
  });

  it('do not advise to ask for an event that a clock would refuse, too', async () => {
    const at = serverNow - 60_000;
    const clockSkew = {
      id: 'late',
      at,
      event: 'access_token',
      reason: 'expired',
      offBySeconds: 840,
    } as const;
    const details = [detailFixture({ installation: brokenFixture(), clockSkew })];
    renderAdmin(createFakeBff({ details }), '/installations/hooli');

    const [, , , help] = await readAnswers();

    expect(help).toContain('Correct the clocks of both servers, then ask for a new event.');
  });

  it('say since when, why and in how many processes calls fail', async () => {
    const installation = installationFixture({
      state: 'calls_failing',
      condition: 'calls_failing',
      cause: 'platform_5xx',
      accessEndsAt: serverNow - 5 * 60_000,
      calls: {
        processes: 3,
        failing: 1,
        lastSuccessAt: serverNow,
        failingSince: serverNow - 5 * 60_000,
        failures: 1_412,
        reason: 'platform_5xx',
        status: 503,
      },
    });
    const failedCall = {
      at: serverNow,
      method: 'GET',
      path: '/api/users',
      status: 503,
      fault: null,
      answer: 'Down for maintenance',
    };
    const details = [detailFixture({ installation, failedCall })];
    renderAdmin(createFakeBff({ details }), `/installations/${installation.id}`);

    const [happened, since, next, help] = await readAnswers();

    expect(happened).toContain('The platform answered 503. Calls fail in 1 of 3 processes.');
    expect(happened).toContain('platform_5xx');
    expect(happened).toContain('Down for maintenance');
    const calls = screen.getByRole('link', { name: 'Show calls' });
    expect(calls.getAttribute('href')).toContain(`/calls?installation=${installation.id}`);
    expect(since).toMatch(/^Since5 min.*1,412 failed calls/);
    expect(next).toContain('The next call tries again');
    expect(help).toContain('Test the connection');
    expect(help).not.toContain('Nothing is needed');
  });

  it('say what the connection of a failing call met', async () => {
    const installation = installationFixture({
      state: 'calls_failing',
      condition: 'calls_failing',
      cause: 'platform_unreachable',
      accessEndsAt: serverNow,
    });
    const failedCall = {
      at: serverNow,
      method: 'GET',
      path: '/api/users',
      status: null,
      fault: 'ECONNRESET',
      answer: null,
    };
    const details = [detailFixture({ installation, failedCall })];
    renderAdmin(createFakeBff({ details }), `/installations/${installation.id}`);

    const [happened] = await readAnswers();

    expect(happened).toContain('There was no answer: connection reset.');
  });

  it.each([
    ['platform_unreachable', 'Test the connection: it says what the platform answers now.'],
    ['platform_429', 'have the plug-in send fewer'],
    ['token_refused', 'Refresh now, then test the connection.'],
    ['scope_missing', 'Have the scope granted.'],
  ])('say what helps against the cause of failing calls: %s', async (cause, text) => {
    const installation = installationFixture({
      state: 'calls_failing',
      condition: 'calls_failing',
      cause,
      accessEndsAt: serverNow,
    });
    const details = [detailFixture({ installation })];
    renderAdmin(createFakeBff({ details }), `/installations/${installation.id}`);

    const [, , , help] = await readAnswers();

    expect(help).toContain(text);
  });

  it.each([
    ['There has been no call since.', serverNow - 21 * 60_000],
    ['Calls still work', serverNow],
  ])('say of a refresh that fails: %s', async (text, lastSuccessAt) => {
    const calls = {
      processes: 1,
      failing: 0,
      lastSuccessAt,
      failingSince: null,
      failures: 0,
      reason: null,
      status: null,
    };
    const installation = failingFixture({ calls });
    const details = [detailFixture({ installation })];
    renderAdmin(createFakeBff({ details }), `/installations/${installation.id}`);

    const [happened] = await readAnswers();

    expect(happened).toContain(text);
  });

  it('do not say that all is well, or that nothing is needed, while a hook is parked', async () => {
    const installation = installationFixture({ parkedHooks: 1 });
    const hooksParkedSince = serverNow - 5 * 60_000;
    const details = [detailFixture({ installation, hooksParkedSince })];
    renderAdmin(createFakeBff({ details }), '/installations/acme');

    const [happened, since, next, help] = await readAnswers();

    expect(happened).toContain('Hook parked');
    expect(since).toMatch(/^Since5 min/);
    expect(happened).toContain('A hook failed too often');
    expect(happened).not.toContain('All is well');
    expect(next).toContain('A hook waits for you');
    expect(help).toContain('Fix the hook, then replay what is parked.');
    expect(help).not.toContain('Nothing is needed');
    const link = screen.getByRole('link', { name: 'Replay or drop' });
    expect(link.getAttribute('href')).toBe('/admin/hooks');
  });

  it('name a parked hook beside what is worse', async () => {
    const details = [detailFixture({ installation: brokenFixture({ parkedHooks: 1 }) })];
    renderAdmin(createFakeBff({ details }), '/installations/hooli');

    const [happened, , , help] = await readAnswers();

    expect(happened).toMatch(/^What happenedRefresh token refused.*A hook failed too often/);
    expect(help).toMatch(/^What you can doAsk for a new event.*Replay or drop$/);
  });

  it('say when Dowel asks again, also if the platform does not accept the request', async () => {
    renderAdmin(
      createFakeBff({ details: [detailFixture({ installation: brokenFixture() })] }),
      '/installations/hooli',
    );

    const [, , next] = await readAnswers();

    expect(next).toContain('after 30 s, 1, 2, 4 and 8 min, then every 15 min');
    expect(next).toContain('did not accept after 5, 10, 20 and 40 s, then every minute');
  });

  it('say until when the record of an uninstalled one is kept', async () => {
    const installation = uninstalledFixture();
    const purgedAt = serverNow + 90 * dayMs;
    const details = [detailFixture({ installation, token: null, purgedAt })];
    renderAdmin(createFakeBff({ details }), '/installations/wonka');

    const [, , next] = await readAnswers();

    expect(next).toContain('are kept until 16 Aug 2033.');
  });

  it('say since when a state holds that began while the page was open', async () => {
    stopClock();
    renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');
    const [, loaded] = await readAnswers();
    expect(loaded).toMatch(/^Since1 d/);

    act(() => {
      vi.advanceTimersByTime(90_000 + 5 * 60_000);
    });

    const [happened, since] = await readAnswers();
    expect(happened).toContain('there has been no call since');
    expect(since).toMatch(/^Since5 min/);
  });
});
