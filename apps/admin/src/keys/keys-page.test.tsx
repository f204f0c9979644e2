import type { Keys } from '@dowel/admin-api';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { serverNow } from '../testing/fixtures.ts';
import { encryptionKey, keyLocation, keysFixture, trustRule } from '../testing/keys-fixture.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const old = encryptionKey({ id: 'b8071111', state: 'old', values: 79_419, isSealing: false });
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
    expect(rowsOf('Encryption keys')).toEqual([expect.stringMatching(/7c21a0f4Active214,806/)]);
  });

  it('say that processes must start again, and which key they still encrypt with', async () => {
    const keys = [encryptionKey(), { ...old, isSealing: true }];
    await show(keysFixture({ encryption: { keys, step: 'restart' } }));

    expect(screen.getByText(/some processes still encrypt with an old key/)).toBeDefined();
    expect(screen.getByText(/^Restart the processes that started before/)).toBeDefined();
    expect(rowsOf('Encryption keys')[1]).toContain('Keep it: a process encrypts with it');
  });

  it('say that this process does not encrypt with the new key yet', async () => {
    const keys = [encryptionKey(), { ...old, state: 'next' as const, values: 0 }];
    await show(keysFixture({ encryption: { keys, step: 'restart' } }));

    expect(rowsOf('Encryption keys')[1]).toMatch(/Active after a restart.*Restart this process/);
  });

  it('show how far a rotation is', async () => {
    const keys = [encryptionKey(), old];
    await show(keysFixture({ encryption: { keys, step: 'reencrypt' } }));

    expect(screen.getByText(/still protect 79,419 of 294,225 values/)).toBeDefined();
    expect(screen.getByText('dowel reencrypt')).toBeDefined();
    expect(screen.queryByRole('button', { name: /key$/ })).toBeNull();
    expect(screen.getByRole('img', { name: /^73% of the values/ })).toBeDefined();
    expect(rowsOf('Encryption keys')[1]).toMatch(/b8071111Read only79,419.*values need it/);
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

    expect(screen.getByRole('heading', { name: 'No trust rule' })).toBeDefined();
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
