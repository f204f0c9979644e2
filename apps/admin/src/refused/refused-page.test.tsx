import type { Refusals } from '@dowel/admin-api';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { refusalFixture, refusalsFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;

const burst: Partial<Refusals> = {
  reasons: [
    {
      reason: 'signature_invalid',
      count: 2_766,
      firstAt: serverNow - 300 * minute,
      lastAt: serverNow - 240 * minute,
    },
    {
      reason: 'issuer_key_mismatch',
      count: 12,
      firstAt: serverNow - 9 * minute,
      lastAt: serverNow - 3 * minute,
    },
  ],
  last: [
    refusalFixture({
      at: serverNow - 3 * minute,
      reason: 'issuer_key_mismatch',
      issuer: 'staging.example',
      sender: '203.0.113.61',
    }),
    refusalFixture(),
  ],
};

const show = (changes: Partial<Refusals>, path = '/refused') => {
  const bff = createFakeBff({ refusals: refusalsFixture(changes) });
  renderAdmin(bff, path);
  return bff;
};

async function readRows(name = 'Last refusals'): Promise<(string | null)[]> {
  const table = within(await screen.findByRole('table', { name }));
  return table
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
}

describe('the page about refusals', () => {
  it('says why, how often, when and what helps; first where something can be done', async () => {
    show(burst);

    expect(await readRows('Reasons')).toEqual([
      expect.stringMatching(
        /^Issuer not trustedissuer_key_mismatch12.*Add a rule to DOWEL_TRUST.*No rule of DOWEL_TRUST/,
      ),
      expect.stringMatching(
        /^Signature is wrongsignature_invalid2,766.*Nothing\. If it lasts.*does not match/,
      ),
    ]);
    const [, first, other] = screen.getAllByRole('row');
    expect([first, other].map((row) => row?.getAttribute('data-tone'))).toEqual(['risk', 'gone']);
  });

  it('lists the last refusals with the claimed issuer and from where they came', async () => {
    show(burst);

    expect(await readRows()).toEqual([
      expect.stringMatching(/Issuer not trustedstaging\.example203\.0\.113\.61event$/),
      expect.stringMatching(/Signature is wrongbrambleworks\.example198\.51\.100\.24event$/),
    ]);
  });

  it('a reason limits the last refusals to its own', async () => {
    show(burst);

    await userEvent.click(await screen.findByRole('link', { name: 'Signature is wrong' }));

    expect(await readRows()).toEqual([expect.stringContaining('brambleworks.example')]);
    await userEvent.click(screen.getByRole('link', { name: 'Show all reasons' }));
    expect(await readRows()).toHaveLength(2);
  });

  it('orders reasons and refusals by count, and keeps the order in the address', async () => {
    show(burst);

    await userEvent.click(await screen.findByRole('radio', { name: 'Most frequent first' }));

    for (const table of ['Reasons', 'Last refusals']) {
      expect(await readRows(table)).toEqual([
        expect.stringContaining('Signature is wrong'),
        expect.stringContaining('Issuer not trusted'),
      ]);
    }
    expect(window.location.search).toBe('?order=count');
  });

  it('tells screen readers which reason is shown', async () => {
    show(burst);
    const words = await screen.findByText('Shown: Last refusals');

    await userEvent.click(await screen.findByRole('link', { name: 'Signature is wrong' }));

    expect(words.getAttribute('aria-live')).toBe('polite');
    expect(words.textContent).toBe('Shown: Signature is wrong');
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
    expect(text).toContain(',signature_invalid,event,brambleworks.example,198.51.100.24,');
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

  it('names a missing issuer in words, and a reason that it does not know by its code', async () => {
    const reason = 'reason_of_tomorrow';
    show({ last: [refusalFixture({ reason, issuer: '', kind: 'session' })] });

    expect(await readRows()).toEqual([
      expect.stringMatching(/reason_of_tomorrownone.*session of a page$/),
    ]);
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
