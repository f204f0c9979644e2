import { toRowPatch } from '@dowel/admin-api';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, installationFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;
const names = Array.from({ length: 150 }, (_, index) => `t${String(index).padStart(3, '0')}`);

/** A hundred fit on the first page, the longest broken first; by host they come in the same order. */
const manyBroken = names.map((id, index) =>
  brokenFixture({
    id,
    host: `${id}.example`,
    issuer: `https://${id}.example`,
    accessEndsAt: serverNow - (1_000 - index) * minute,
  }),
);
const manyHealthy = names.map((id, index) =>
  installationFixture({
    id,
    host: `${id}.example`,
    issuer: `https://${id}.example`,
    lastEventAt: serverNow - (index + 10) * minute,
    tokenExpiresAt: serverNow + (index + 10) * minute,
  }),
);

const rows = () => within(screen.getByRole('table')).getAllByRole('row').slice(1);
const listLoads = ({ requests }: FakeBff) =>
  requests.filter(({ url }) => url.includes('/fleet/installations?')).length;
const findFirst = () => screen.findByText('t000.example');
const queryHint = () => screen.queryByRole('button', { name: /moved row|May have changed/ });
const hintOf = () => queryHint()?.textContent ?? null;

async function show(path: string, installations = manyBroken) {
  const bff = createFakeBff({ installations: [...installations] });
  const { changes } = renderAdmin(bff, path);
  await findFirst();
  const change = (id: string, to: object) => {
    bff.installations = bff.installations.map((row) => (row.id === id ? { ...row, ...to } : row));
    act(() => changes.announce(id));
  };
  return { bff, changes, change };
}

describe('the number of moved rows', () => {
  it('leaves out rows that come after those that are loaded', async () => {
    const { change, bff, changes } = await show('/installations?group=broken');

    change('t149', { tries: 41 });
    change('t148', { accessEndsAt: serverNow - 2 * minute });
    expect(hintOf()).toBeNull();

    bff.installations.push(brokenFixture({ id: 'older', accessEndsAt: serverNow - 9e7 }));
    act(() => changes.announce('older'));
    expect(hintOf()).toBe('Show 1 moved row');
  });

  it('counts no row that is back in its place', async () => {
    const { change } = await show('/installations?group=broken');
    const since = manyBroken[3]?.accessEndsAt;

    change('t003', { accessEndsAt: serverNow - 5 * minute });
    expect(hintOf()).toBe('Show 1 moved row');
    change('t003', { accessEndsAt: since });
    expect(hintOf()).toBeNull();
  });

  it('follows the order of the list: by host no outage moves a row', async () => {
    const { change, bff, changes } = await show('/installations?sort=host');

    change('t003', { accessEndsAt: serverNow - 9e7 });
    expect(hintOf()).toBeNull();

    bff.installations.push(brokenFixture({ id: 'a', issuer: 'https://a.example' }));
    act(() => changes.announce('a'));
    expect(hintOf()).toBe('Show 1 moved row');
  });

  it('follows a reversed order', async () => {
    const { bff, changes } = await show('/installations?sort=host&direction=asc');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'host desc');
    await screen.findByText('t149.example');

    bff.installations.push(brokenFixture({ id: 'a', issuer: 'https://a.example' }));
    act(() => changes.announce('a'));
    expect(hintOf()).toBeNull();
    bff.installations.push(brokenFixture({ id: 'z', issuer: 'https://z.example' }));
    act(() => changes.announce('z'));
    expect(hintOf()).toBe('Show 1 moved row');
  });

  it('by the latest event counts known rows, and says of others only that the list may have changed', async () => {
    const { change } = await show('/installations?sort=event', manyHealthy);

    // Of a healthy row that is not loaded, the stream does not say what it is.
    change('t140', { lastEventAt: serverNow });
    expect(hintOf()).toBe('May have changed · show');
    change('t002', { lastEventAt: serverNow });
    expect(hintOf()).toBe('Show 1 moved row');
  });

  it('counts a purged row, which stays in its place', async () => {
    const { bff, changes } = await show('/installations?group=broken');
    bff.installations = bff.installations.slice(1);
    act(() => changes.announce('t000'));

    expect(hintOf()).toBe('Show 1 moved row');
    expect(rows()[0]?.textContent).toBe('Purged');
    expect(rows()[1]?.textContent).toContain('t001.example');
  });
});

describe('a list whose changes are not all known', () => {
  it.each([
    ['a gap', false],
    ['more changes than the stream tells', true],
  ])('says so after %s, and loads again when a person asks', async (_, isPartial) => {
    const { bff, changes } = await show('/installations?group=broken');
    const loads = listLoads(bff);
    bff.installations = bff.installations.slice(1);

    act(() => {
      if (isPartial) changes.send({ now: serverNow, isPartial });
      else changes.dispatchEvent(new Event('gap'));
    });

    expect(hintOf()).toBe('May have changed · show');
    expect(listLoads(bff)).toBe(loads);
    await userEvent.click(queryHint() ?? expect.fail());
    expect(await screen.findByText('t001.example')).toBeDefined();
    expect(screen.queryByText('t000.example')).toBeNull();
    expect(hintOf()).toBeNull();
  });

  it('says nothing when the stream first begins', async () => {
    const { changes } = await show('/installations?group=broken');

    act(() => void changes.dispatchEvent(new Event('position')));

    expect(hintOf()).toBeNull();
  });

  it('says so when the live count is another, as after a change by the time alone', async () => {
    const { bff, changes } = await show('/installations?group=broken', manyBroken.slice(0, 3));

    bff.installations.push(brokenFixture({ id: 'later' }));
    act(() => changes.announceCounts());

    expect(hintOf()).toBe('May have changed · show');
    expect(await screen.findByText(/of 4 · Longest broken first/)).toBeDefined();
  });
});

describe('an empty list', () => {
  async function showEmpty() {
    const bff = createFakeBff({ installations: [installationFixture()] });
    const { changes } = renderAdmin(bff, '/installations?group=broken');
    await screen.findByText('No installation is broken');
    bff.installations = [...manyBroken];
    return { bff, changes };
  }

  it('is loaded again in a mass outage, of which the stream tells no rows', async () => {
    const { changes } = await showEmpty();
    act(() => changes.announceCounts({ isPartial: true }));
    expect(await findFirst()).toBeDefined();
  });

  it('is loaded again after a gap', async () => {
    const { changes } = await showEmpty();
    act(() => void changes.dispatchEvent(new Event('gap')));
    expect(await findFirst()).toBeDefined();
  });

  it('is loaded again when the count says that it has rows', async () => {
    const { changes } = await showEmpty();
    act(() => changes.announceCounts());
    expect(await findFirst()).toBeDefined();
  });

  it('is asked for once for each count, even if the answer stays empty', async () => {
    const { bff, changes } = await showEmpty();
    const fetch = bff.fetch;
    bff.fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(input).includes('/fleet/installations?')) return answer;
      return Response.json({ ...(await answer.json()), installations: [], next: null });
    };
    const loads = listLoads(bff);

    act(() => changes.announceCounts());
    await waitFor(() => expect(listLoads(bff)).toBe(loads + 1));
    act(() => changes.announceCounts());
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));

    expect(listLoads(bff)).toBe(loads + 1);
  });
});

describe('a loaded row', () => {
  it('keeps what the stream sent while an older answer was under way', async () => {
    const { bff, changes } = await show('/installations?group=broken');
    const [first] = manyBroken;
    const answers: (() => void)[] = [];
    const fetch = bff.fetch;
    bff.fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (String(input).includes('/fleet/rows')) {
        await new Promise<void>((resolve) => answers.push(resolve));
      }
      return answer;
    };
    act(() => void changes.dispatchEvent(new Event('gap')));
    await waitFor(() => expect(answers).toHaveLength(1));

    const newer = { ...(first ?? expect.fail()), tries: 41 };
    act(() => changes.send({ now: serverNow, rows: [toRowPatch(newer, serverNow)] }));
    await act(async () => answers[0]?.());

    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(rows()[0]?.textContent).toMatch(/41$/);
  });
});
