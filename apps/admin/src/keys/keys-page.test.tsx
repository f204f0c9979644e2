import type { Keys } from '@dowel/schema';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { runFixture, serverNow } from '../testing/fixtures.ts';
import { encryptionKey, keyLocation, keysFixture, trustRule } from '../testing/keys-fixture.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const old = encryptionKey({ id: 'b8071111', state: 'old', values: 79_419, uses: 886_000_000 });
const failure = { reason: 'key_fetch_failed', at: serverNow - 60_000 };

async function show(keys: Keys, state: Partial<FakeBff> = {}): Promise<void> {
  renderAdmin(createFakeBff({ keys, ...state }), '/keys');
  await screen.findByRole('heading', { level: 1, name: 'Keys & trust' });
  await screen.findByRole('heading', { level: 2, name: 'Encryption keys' });
}

const rowsOf = (name: string) =>
  within(screen.getByRole('table', { name }))
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);

describe('the encryption keys', () => {
  it('say that no rotation is under way, and how one begins', async () => {
    await show(keysFixture());

    expect(screen.getByText(/No rotation is under way/)).toBeDefined();
    expect(screen.getByText('dowel keys rotate')).toBeDefined();
    expect(rowsOf('Encryption keys')).toEqual([expect.stringMatching(/7c21a0f4Seals214,806/)]);
  });

  it('show how far a rotation is', async () => {
    const keys = [encryptionKey(), old];
    await show(keysFixture({ encryption: { keys, step: 'reencrypt' } }));

    expect(screen.getByText(/still protect 79,419 of 294,225 values/)).toBeDefined();
    expect(screen.getByText('dowel reencrypt')).toBeDefined();
    expect(screen.getByRole('img', { name: /^73% of the values/ })).toBeDefined();
    expect(rowsOf('Encryption keys')[1]).toMatch(/b8071111Only opens79,41941.3%.*values need it/);
  });

  it('name the key that may be removed, and the command', async () => {
    const keys = [encryptionKey(), { ...old, values: 0, mayBeRemoved: true }];
    await show(keysFixture({ encryption: { keys, step: 'prune' } }));

    expect(screen.getByText(/These may be removed: b8071111/)).toBeDefined();
    expect(screen.getByText('dowel keys prune')).toBeDefined();
    expect(rowsOf('Encryption keys')[1]).toContain('May be removed');
  });

  it('name the key that is missing', async () => {
    const keys = [encryptionKey(), { ...old, state: 'missing' as const, since: null }];
    await show(keysFixture({ encryption: { keys, step: 'restore', unnamedValues: 1 } }));

    expect(screen.getByText(/key file does not contain: b8071111/)).toBeDefined();
    expect(screen.getByText(/1 value names no key/)).toBeDefined();
  });

  it('say that the values are being counted', async () => {
    const keys = [encryptionKey({ values: null }), { ...old, values: null }];
    const counting = { rows: 12_000 };
    await show(keysFixture({ encryption: { keys, step: 'counting', countedAt: null, counting } }));

    expect(screen.getByText('Counting: 12,000 rows read')).toBeDefined();
    expect(rowsOf('Encryption keys')[1]).toContain('Being counted');
  });
});

describe('the rotation', () => {
  const reencrypting = { keys: [encryptionKey(), old], step: 'reencrypt' as const };

  it.each([
    ['none', 'Rotate the key'],
    ['rotate', 'Rotate the key'],
    ['reencrypt', 'Seal with the new key'],
  ] as const)('of an owner begins here, at the step %s, with a reason', async (step, name) => {
    const bff = createFakeBff({ role: 'owner', keys: keysFixture({ encryption: { step } }) });
    renderAdmin(bff, '/keys');

    await userEvent.click(await screen.findByRole('button', { name }));
    const dialog = within(await screen.findByRole('dialog', { name }));
    const confirm = dialog.getByRole('button', { name });
    expect(confirm).toHaveProperty('disabled', true);
    await userEvent.type(dialog.getByRole('textbox', { name: /Reason/ }), 'Two years old');
    await userEvent.click(confirm);

    expect(await dialog.findByText(/The values are being sealed/)).toBeDefined();
    expect(bff.runs).toMatchObject([{ action: 'reencrypt', reason: 'Two years old' }]);
    expect(await screen.findByText('0 of 900 values sealed')).toBeDefined();
    // The page behind it has changed; the dialog shows the result until it is closed.
    await userEvent.click(dialog.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it.each(['counting', 'prune', 'restore'] as const)(
    'has no button at the step %s',
    async (step) => {
      await show(keysFixture({ encryption: { step } }), { role: 'owner' });

      expect(screen.queryByRole('button', { name: /key$/ })).toBeNull();
    },
  );

  it('shows how far it is, and stops', async () => {
    const run = runFixture({ action: 'reencrypt', total: 900, done: 300 });
    const bff = createFakeBff({
      runs: [run],
      keys: keysFixture({ encryption: { ...reencrypting, run } }),
    });
    renderAdmin(bff, '/keys');
    const progress = await screen.findByRole('progressbar', { name: 'Seal with the new key' });
    expect([progress.getAttribute('value'), progress.getAttribute('max')]).toEqual(['300', '900']);

    await userEvent.click(screen.getByRole('button', { name: 'Stop: Seal with the new key' }));

    expect(bff.runs).toMatchObject([{ state: 'stopped' }]);
  });

  it('lets only owners stop it', async () => {
    const run = runFixture({ action: 'reencrypt', total: 900, done: 300 });
    await show(keysFixture({ encryption: { ...reencrypting, run } }), { role: 'operator' });

    const stop = await screen.findByRole('button', { name: 'Stop: Seal with the new key' });

    expect(stop.getAttribute('aria-disabled')).toBe('true');
    const why = { hidden: true, name: 'Only owners can do this.' };
    expect(screen.getByRole('tooltip', why)).toBeDefined();
  });

  it('shows the result of the last run', async () => {
    const run = runFixture({
      action: 'reencrypt',
      state: 'stopped',
      endedAt: serverNow,
      total: 900,
      done: 300,
      failed: 2,
    });
    await show(keysFixture({ encryption: { ...reencrypting, run } }));

    const why = screen.getByRole('link', { name: 'See why in the audit' });
    expect(why.getAttribute('href')).toMatch(/\/audit$/);
    expect(why.parentElement?.textContent).toBe(
      'Stopped · 300 of 900 values sealed · 2 values could not be read · See why in the audit',
    );
  });

  it.each([
    ['operator', true, 'Only owners can do this.'],
    ['owner', false, /^Processes on other machines need the new key first/],
  ] as const)('of the role %s says why it does not begin', async (role, mayRotate, why) => {
    await show(keysFixture({ encryption: { mayRotate } }), { role });

    const button = screen.getByRole('button', { name: 'Rotate the key' });

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(screen.getByRole('tooltip', { hidden: true, name: why })).toBeDefined();
  });
});

it('shows a viewer no keys, and does not ask for them', async () => {
  const bff = createFakeBff({ keys: keysFixture(), role: 'viewer' });
  renderAdmin(bff, '/keys');

  expect(await screen.findByText('Operators and owners see the keys.')).toBeDefined();
  expect(bff.requests.filter(({ url }) => url.includes('/keys'))).toEqual([]);
});

describe('the trust', () => {
  it('says which key locations answer, which are used from the cache, and which fail', async () => {
    const rules = [
      trustRule(),
      trustRule({ issuer: 'https://stale.example', failure }),
      trustRule({ issuer: 'https://dead.example', fetchedAt: null, usableUntil: null, failure }),
      trustRule({ issuer: 'https://new.example', fetchedAt: null, usableUntil: null }),
      trustRule({ issuer: '*', location: null, pinned: keyLocation().keys, fetchedAt: null }),
    ];
    await show(keysFixture({ rules }));

    expect(rowsOf('Trust rules')).toEqual([
      expect.stringMatching(/^https:\/\/\*\.example\.com.*2 min.*Reachable/),
      expect.stringMatching(/No answer since .*, cached keys are used.*key_fetch_failed/),
      expect.stringMatching(/No key since .*key_fetch_failed/),
      expect.stringContaining('Not asked yet'),
      expect.stringMatching(/^Any issuer1 pinned keyRS256 abab.*Pinned/),
    ]);
  });

  it('warns that nobody is trusted', async () => {
    await show(keysFixture({ rules: [] }));

    expect(screen.getByRole('heading', { name: 'Nobody is trusted' })).toBeDefined();
  });

  it('lists the cached keys of the process that answered', async () => {
    const unproven = keyLocation({
      location: 'https://keys.example.com/x',
      isProven: false,
      keys: [],
      fetchedAt: null,
      freshUntil: null,
      usableUntil: null,
      failure,
    });
    await show(keysFixture({ locations: [keyLocation(), unproven], hiddenLocations: 3 }));

    expect(screen.getByText(/Of the process 4711, running since/)).toBeDefined();
    expect(rowsOf('Cached signature keys')).toEqual([
      expect.stringMatching(/^2026-10-a.*RS256 · 2,048 bits.*abababab.*from .*Has signed$/),
      expect.stringMatching(/^–https.*with the next JWTNo key.*key_fetch_failed/),
    ]);
    expect(screen.getByText('3 more locations are not shown.')).toBeDefined();
  });

  it('says so when nothing was fetched yet', async () => {
    await show(keysFixture({ locations: [] }));

    expect(screen.getByText(/has fetched no key yet/)).toBeDefined();
  });
});

it('a failure is shown with a button that tries again', async () => {
  const bff = createFakeBff({ isBroken: true });
  renderAdmin(bff, '/keys');
  const again = await screen.findByRole('button', { name: 'Try again' });
  bff.isBroken = false;

  await userEvent.click(again);

  expect(await screen.findByText(/No rotation is under way/)).toBeDefined();
});

it('g and k lead to the page', async () => {
  renderAdmin(createFakeBff(), '/audit');
  await screen.findByRole('heading', { level: 1, name: 'Audit' });

  await userEvent.keyboard('gk');

  expect(await screen.findByRole('heading', { level: 1, name: 'Keys & trust' })).toBeDefined();
});
