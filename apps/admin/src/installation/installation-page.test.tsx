import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  eventEntry,
  failingFixture,
  hookFixture,
  installationFixture,
  refreshEntry,
  serverNow,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { i18nOf } from '../testing/i18n-of.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

const broken = brokenFixture();
const day = 86_400_000;

async function readAnswers(): Promise<(string | null)[]> {
  const answers = await screen.findByRole('region', { name: 'In short' });
  return within(answers)
    .getAllByRole('heading')
    .map((heading) => heading.parentElement?.textContent ?? null);
}

describe('the page of an installation', () => {
  it('says what happened, since when, what happens next and what to do', async () => {
    stopClock();
    const details = [detailFixture({ installation: broken })];
    const installations = [broken, brokenFixture({ id: 'b' }), brokenFixture({ id: 'c' })];
    renderAdmin(createFakeBff({ details, installations }), '/installations/hooli');

    const [happened, since, next, help] = await readAnswers();
    await screen.findByText('2 other tenants have this');

    expect(happened).toContain('Refresh token refused');
    expect(happened).toContain('used before, revoked or expired');
    expect(since).toMatch(/^Since44 min.*7 tries$/);
    expect(next).toMatch(/^What happens nextAsks again in 1:12/);
    expect(help).toContain('Ask for a new event.');
  });

  it('says of a healthy one that nothing is needed', async () => {
    stopClock();
    renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');

    const [happened, , next, help] = await readAnswers();

    expect(happened).toContain('All is well');
    expect(next).toContain('Token ends in 1:30');
    expect(help).toContain('Nothing is needed.');
  });

  it('says of a healthy one whose platform gave no usable trigger that it cannot ask for an event', async () => {
    const details = [detailFixture({ installation: installationFixture({ canAsk: false }) })];
    renderAdmin(createFakeBff({ details }), '/installations/acme');

    const card = within(await screen.findByRole('region', { name: 'Token' }));

    expect(card.queryByText('Cannot ask: no usable trigger')).not.toBeNull();
  });

  it.each([
    ['whose grant is dead', {}],
    ['that the platform refuses', { condition: 'calls_failing', cause: 'token_refused' }],
    ['without a successor', { condition: 'calls_failing', cause: 'token_endpoint_answered_503' }],
  ] as const)('names no end of a token %s', async (_, changes) => {
    const details = [detailFixture({ installation: brokenFixture(changes) })];
    renderAdmin(createFakeBff({ details }), '/installations/hooli');

    const card = within(await screen.findByRole('region', { name: 'Token' }));

    expect(card.getByText('Not usable')).toBeDefined();
    expect(card.queryByText(/^Until/)).toBeNull();
  });

  it('says of a token that ends while the page is open that it ended', async () => {
    stopClock();
    renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');
    const card = within(await screen.findByRole('region', { name: 'Token' }));
    expect(card.getByText(/^Until/)).toBeDefined();

    act(() => {
      vi.advanceTimersByTime(91_000);
    });

    expect(card.getByText(/^Ended/)).toBeDefined();
  });

  it('says of a failing one since when it fails, then since when it is without access', async () => {
    stopClock();
    const details = [detailFixture({ installation: failingFixture() })];
    renderAdmin(createFakeBff({ details }), '/installations/initech');
    const [, failing] = await readAnswers();
    expect(failing).toMatch(/^Since20 min/);

    act(() => {
      vi.advanceTimersByTime(90_000 + 5 * 60_000);
    });

    const [happened, since] = await readAnswers();
    expect(happened).toContain('No answer');
    expect(since).toMatch(/^Since5 min/);
  });

  it('names parked hooks beside any state, and leads to them', async () => {
    const installation = installationFixture({ parkedHooks: 1 });
    const details = [detailFixture({ installation })];
    renderAdmin(createFakeBff({ details, hooks: [hookFixture()] }), '/installations/acme');

    const [flag] = await screen.findAllByText('Hook parked');
    expect(flag?.dataset.tone).toBe('risk');
    await userEvent.click(screen.getByRole('link', { name: 'Replay or drop' }));

    expect(await screen.findByRole('button', { name: /^Replay: installed/ })).toBeDefined();
  });

  it.each([
    [1, 'Parked after 1 attempt'],
    [12, 'Parked after 12 attempts'],
  ])('counts the attempts of a hook: %i', async (attempts, words) => {
    const entry = { id: 1, hook: 'installed', state: 'parked', attempts, settledAt: null } as const;
    const timeline = [{ kind: 'hook', at: serverNow, entry } as const];
    renderAdmin(createFakeBff({ details: [detailFixture()], timeline }), '/installations/acme');

    expect(await screen.findByText(words)).toBeDefined();
  });

  it('claims no share of access for an installation without tokens', async () => {
    const pending = brokenFixture({ condition: 'pending', state: 'no_tokens', cause: null });
    const details = [
      detailFixture({ installation: pending, token: null }),
      detailFixture({ installation: broken }),
    ].map((each, index) => ({
      ...each,
      installation: { ...each.installation, id: `tenant-${index}` },
    }));
    const first = renderAdmin(createFakeBff({ details }), '/installations/tenant-0');
    await readAnswers();
    expect(screen.queryByRole('region', { name: 'Access, last 7 days' })).toBeNull();

    first.leave();
    renderAdmin(createFakeBff({ details }), '/installations/tenant-1');
    expect(await screen.findByRole('region', { name: 'Access, last 7 days' })).toBeDefined();
  });

  it('shows the form of a src that names no placed widget, and what to do', async () => {
    const details = [detailFixture({ srcForm: '<tenantId>_<text 8>' })];
    const first = renderAdmin(createFakeBff({ details }), '/installations/acme');

    const places = within(await screen.findByRole('region', { name: 'Places (1)' }));
    expect(places.getByText('<tenantId>_<text 8>')).toBeTruthy();
    expect(places.getByRole('alert').textContent).toContain('DOWEL_UNMATCHED_PAGES');

    first.leave();
    renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');
    await screen.findByRole('region', { name: 'Places (1)' });
    expect(screen.queryByText(/in a form that fits no widget/)).toBeNull();
  });

  it('shows granted scopes with their date', async () => {
    renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');

    const card = within(await screen.findByRole('region', { name: 'Scopes' }));

    expect(card.getByText('Granted').dataset.tone).toBe('ok');
    expect(card.getByText(/requested · since \d+ May 2033/)).toBeDefined();
  });

  it('never calls a scope granted that the newest answer lacked, or that has ended', async () => {
    const withdrawn = brokenFixture({ cause: 'scope_missing' });
    const scopes = { ...detailFixture().scopes, endedAt: serverNow - day };
    const details = [
      detailFixture({ installation: withdrawn }),
      detailFixture({ installation: uninstalledFixture(), scopes, token: null }),
    ];
    const first = renderAdmin(createFakeBff({ details }), '/installations/hooli');
    const card = within(await screen.findByRole('region', { name: 'Scopes' }));
    expect(card.getByText('Not granted').dataset.tone).toBe('bad');

    first.leave();
    renderAdmin(createFakeBff({ details }), '/installations/wonka');
    expect((await screen.findByText('Ended')).dataset.tone).toBe('gone');
  });

  it('has one timeline, with the moment when access was lost', async () => {
    const at = serverNow - 44 * 60_000;
    const outage = { id: 1, generation: 2, cause: 'invalid_grant', beganAt: at - 60_000 };
    const details = [
      detailFixture({
        installation: broken,
        outages: [{ ...outage, accessEndsAt: at, endedAt: null, endedBy: null }],
      }),
    ];
    const timeline = [
      eventEntry({ id: 2, status: 400, reason: 'scope_missing' }),
      refreshEntry({
        id: 2,
        startedAt: at - 14_000,
        durationMs: 14_000,
        succeeded: false,
        tokenVersion: null,
        reason: 'invalid_grant',
      }),
      eventEntry({ id: 1, event: 'install', receivedAt: serverNow - day }),
    ];
    renderAdmin(createFakeBff({ details, timeline }), '/installations/hooli');

    const list = within(await screen.findByRole('list', { name: /newest first/ }));
    const [refused, lost, failed] = await list.findAllByRole('listitem');
    expect(refused?.textContent).toContain('access_token event refused');
    expect(refused?.textContent).toContain('400');
    expect(lost?.textContent).toContain('Access lost here');
    expect(failed?.textContent).toContain('Refresh failed');

    await userEvent.click(screen.getByRole('button', { name: 'Refreshes' }));
    await waitFor(() => expect(list.getAllByRole('listitem')).toHaveLength(2));
    expect(list.getByText('Access lost here')).toBeDefined();
  });

  it('says of an event what was signed, what we answered, and which request it was', async () => {
    const detail = {
      requestId: 'ce1ab2b0-request',
      claims: { iat: 1_999_999_000, exp: 1_999_999_060, base_url: 'https://acme.example.com/' },
      answer: { code: 402, message: 'An essential scope was not granted' },
      unknown: [{ pointer: '/client/?', type: 'string' }],
    };
    const timeline = [
      eventEntry({ id: 2, status: 400, reason: 'scope_missing', detail }),
      eventEntry({ id: 1, event: 'install' }),
    ];
    renderAdmin(createFakeBff({ details: [detailFixture()], timeline }), '/installations/acme');

    await userEvent.click(await screen.findByText('Details'));

    const facts = within(screen.getByText('Request id').closest('dl') as HTMLElement);
    expect(facts.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual([
      'ce1ab2b0-request',
      '1999999000',
      '1999999060',
      'https://acme.example.com/',
      '{"code":402,"message":"An essential scope was not granted"}',
      '/client/? string',
    ]);
  });

  it('names what the platform sends and Dowel does not know, with the time', async () => {
    const at = serverNow - 3 * 60_000;
    const drift = [{ event: 'install' as const, pointer: '/?', type: 'object', at }];
    const details = [detailFixture({ drift })];
    renderAdmin(createFakeBff({ details }), '/installations/acme', i18nOf('de'));

    const card = within(
      await screen.findByRole('region', { name: 'Abweichungen von der Spezifikation' }),
    );

    expect(card.getByText('/? object')).toBeDefined();
    expect(card.getByRole('time').getAttribute('datetime')).toBe(new Date(at).toISOString());
  });

  it('folds what repeats, and shows it on request', async () => {
    const timeline = [1, 2, 4, 8].map((minutes, index) =>
      refreshEntry({ id: 9 - index, startedAt: serverNow - minutes * 60_000 }),
    );
    renderAdmin(createFakeBff({ details: [detailFixture()], timeline }), '/installations/acme');

    expect(await screen.findByText('3 more of the same')).toBeDefined();
    expect(screen.getByText('After 4 min, 2 min')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Show' }));

    expect(screen.getAllByText('Refreshed')).toHaveLength(4);
  });

  it('shows the older entries that a person asked for, even if it changes meanwhile', async () => {
    const bff = createFakeBff({
      installations: [installationFixture()],
      details: [detailFixture()],
    });
    const { fetch } = bff;
    const older = Promise.withResolvers<void>();
    bff.fetch = async (input, init) => {
      const url = String(input);
      if (!url.includes('/timeline?') || url.includes('kinds=')) return fetch(input, init);
      const isOlder = url.includes('after=');
      if (isOlder) await older.promise;
      init?.signal?.throwIfAborted();
      const entries = isOlder ? [eventEntry({ event: 'instance_add' })] : [refreshEntry()];
      return Response.json({ now: serverNow, entries, next: isOlder ? null : 'older' });
    };
    const { changes } = renderAdmin(bff, '/installations/acme');
    await userEvent.click(await screen.findByRole('button', { name: 'Show older' }));
    const before = bff.requests.length;

    act(() => changes.announce('acme'));
    await waitFor(() => expect(bff.requests.length).toBeGreaterThan(before));
    older.resolve();

    expect(await screen.findByText('Widget placed')).toBeDefined();
  });

  it('says so when there is no such installation, and offers the search', async () => {
    const installations = [installationFixture(), brokenFixture()];
    renderAdmin(createFakeBff({ installations }), '/installations/hool');
    expect(await screen.findByText('There is no such installation')).toBeDefined();

    await userEvent.click(
      screen.getByRole('link', { name: 'Search all installations for “hool”' }),
    );

    expect(await screen.findByRole('link', { name: 'hooli.example.com' })).toBeDefined();
    expect(screen.queryByRole('link', { name: 'acme.example.com' })).toBeNull();
  });

  it('names the request of an answer that failed', async () => {
    const bff = createFakeBff();
    const { fetch } = bff;
    bff.fetch = async (input, init) => {
      const answer = await fetch(input, init);
      const headers = { ...Object.fromEntries(answer.headers), 'X-Request-Id': 'c1a2-7' };
      return new Response(answer.body, { status: answer.status, headers });
    };
    renderAdmin(bff, '/installations/nobody');

    const alert = await screen.findByRole('alert');

    expect(alert.textContent).toContain('Request id: c1a2-7');
  });
});
