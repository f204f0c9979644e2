import type { Refusals } from '@dowel/schema';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { refusalGroupFixture, refusalsFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;

const countsAt = (index: number, count: number) =>
  Array.from({ length: 96 }, (_, each) => (each === index ? count : 0));

const burst: Partial<Refusals> = {
  reasons: [
    { reason: 'signature_invalid', total: 2_766, counts: countsAt(40, 2_766) },
    { reason: 'issuer_key_mismatch', total: 12, counts: countsAt(90, 12) },
  ],
  groups: [
    refusalGroupFixture(),
    refusalGroupFixture({
      reason: 'issuer_key_mismatch',
      issuer: 'staging.example',
      sender: '203.0.113.61',
      count: 12,
      lastAt: serverNow - 3 * minute,
    }),
  ],
};

const show = (changes: Partial<Refusals>, path = '/refused') => {
  const bff = createFakeBff({ refusals: refusalsFixture(changes) });
  renderAdmin(bff, path);
  return bff;
};

const table = async () =>
  within(await screen.findByRole('table', { name: 'Refused events and sessions' }));

async function readRows(): Promise<(string | null)[]> {
  return (await table())
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
}

describe('the page about refusals', () => {
  it('says why, the claimed issuer, from where, how often, when and what helps; first where something can be done', async () => {
    show(burst);

    expect(await readRows()).toEqual([
      expect.stringMatching(
        /^Issuer not trustedissuer_key_mismatchstaging\.example203\.0\.113\.61event12.*Add a rule to DOWEL_TRUST.*No rule of DOWEL_TRUST/,
      ),
      expect.stringMatching(
        /^Signature is wrongsignature_invalidbrambleworks\.example198\.51\.100\.24event2,766.*Nothing\. If it lasts.*does not match/,
      ),
    ]);
  });

  it('has a lane of bars for each reason, whose name is a sentence with its highest bar', async () => {
    show(burst);

    const lane = await screen.findByRole('img', {
      name: /^Signature is wrong: 2,766\. Most of them, 2,766, came on/,
    });

    expect(lane.querySelectorAll('rect')).toHaveLength(1);
    expect(lane.querySelector('text')?.textContent).toBe('2,766');
    expect(lane.closest('[data-tone]')?.getAttribute('data-tone')).toBe('gone');
    const other = screen.getByRole('img', { name: /^Issuer not trusted/ });
    expect(other.closest('[data-tone]')?.getAttribute('data-tone')).toBe('risk');
  });

  it('shows the bars as a table, the latest first', async () => {
    show(burst);

    const button = 'Show as a table: Refusals over time';
    await userEvent.click(await screen.findByRole('button', { name: button }));

    const [bars] = screen.getAllByRole('table');
    const rows = bars ? within(bars).getAllByRole('row') : [];
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'Time fromIssuer not trustedSignature is wrong',
      expect.stringMatching(/120$/),
      expect.stringMatching(/02,766$/),
    ]);
  });

  it('the name of a lane limits the table to its reason', async () => {
    show(burst);

    await userEvent.click(await screen.findByRole('link', { name: 'Signature is wrong' }));

    expect(await readRows()).toEqual([expect.stringContaining('brambleworks.example')]);
    await userEvent.click(screen.getByRole('link', { name: 'Show all reasons' }));
    expect(await readRows()).toHaveLength(2);
  });

  it('saves the table as a file of comma-separated values', async () => {
    const saved: Blob[] = [];
    URL.createObjectURL = (blob) => {
      saved.push(blob as Blob);
      return 'blob:refused';
    };
    URL.revokeObjectURL = () => undefined;
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    show(burst);

    await userEvent.click(await screen.findByRole('button', { name: 'Export as CSV' }));

    const text = (await saved[0]?.text()) ?? '';
    expect(text).toContain('signature_invalid,event,brambleworks.example,198.51.100.24,,2766,');
  });

  it('asks for another span of time', async () => {
    const bff = show(burst);

    await userEvent.click(await screen.findByRole('radio', { name: '7 d' }));

    const asked = bff.requests.map(({ url }) => new URL(url).searchParams.get('last'));
    expect(asked).toContain(String(7 * 24 * 60 * minute));
    expect(window.location.search).toBe('?span=week');
  });

  it('shows that nothing was rejected', async () => {
    show({});

    expect(
      await screen.findByRole('heading', {
        name: 'Nothing was refused in the last 24 hours',
      }),
    ).toBeDefined();
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('names several and missing issuers in words, and a reason that it does not know by its code', async () => {
    show({
      reasons: [{ reason: 'reason_of_tomorrow', total: 3, counts: countsAt(1, 3) }],
      groups: [
        refusalGroupFixture({ issuer: '*', sender: '*', count: 5 }),
        refusalGroupFixture({ reason: 'reason_of_tomorrow', issuer: '', kind: 'session' }),
      ],
      hasMore: true,
    });

    const rows = await readRows();

    expect(rows[0]).toContain('Signature is wrongsignature_invalidseveralseveralevent5');
    expect(rows[1]).toMatch(/^reason_of_tomorrowreason_of_tomorrownone.*session of a page/);
    expect(screen.getByText(/100 most frequent/)).toBeDefined();
  });

  it('is reached by g and r, and from the navigation', async () => {
    renderAdmin(createFakeBff(), '/');
    await screen.findByRole('heading', { level: 1, name: 'Overview' });
    const navigation = within(await screen.findByRole('complementary'));
    expect(await navigation.findByRole('link', { name: 'Refused' })).toBeDefined();

    await userEvent.keyboard('gr');

    expect(await screen.findByRole('heading', { level: 1, name: 'Refused' })).toBeDefined();
  });

  it('offers to try again when it cannot be loaded', async () => {
    const bff = createFakeBff({ isBroken: true });
    renderAdmin(bff, '/refused');

    await screen.findByText('The refusals could not be loaded');
    bff.isBroken = false;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

    expect(await screen.findByText(/Nothing was refused/)).toBeDefined();
  });
});
