import type { CallEntry, CallGroups } from '@dowel/admin-api';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { callFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;

const reset: Partial<CallEntry> = {
  id: 'call-2',
  installation: { id: 'bolt', name: 'Bolt', host: 'bolt.example', tenantId: 't', pluginId: 'p' },
  count: 412,
  firstAt: serverNow - 300 * minute,
  lastAt: serverNow - 290 * minute,
  operation: null,
  method: 'POST',
  path: '/api/things',
  host: 'api.bolt.example',
  status: null,
  reason: 'platform_unreachable',
  fault: 'ECONNRESET',
  attempts: 2,
  requestId: null,
  answer: null,
};
const fine: Partial<CallEntry> = { id: 'call-3', reason: null, status: 200, answer: null };

const show = (path = '/calls', calls = [callFixture(), callFixture(reset), callFixture(fine)]) => {
  const bff = createFakeBff({ calls });
  renderAdmin(bff, path);
  return bff;
};

async function readRows(name = 'Single calls'): Promise<(string | null)[]> {
  const table = within(await screen.findByRole('table', { name }));
  return table
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
}

const failed = expect.stringContaining('Platform failed · 503');
const lost = expect.stringContaining('No connection · connection reset');

describe('the page about calls', () => {
  it('says why calls fail, how often and for how many; first what fails at this time', async () => {
    show();

    expect(await readRows('Why calls fail')).toEqual([
      expect.stringMatching(/^Platform failed · 50311/),
      expect.stringMatching(/^No connection · connection reset4121/),
    ]);
    const [, first, other] = screen.getAllByRole('row');
    expect([first, other].map((row) => row?.getAttribute('data-tone'))).toEqual(['bad', 'gone']);
  });

  it('says from when on failures are counted, if not all are', async () => {
    const bff = createFakeBff({ calls: [callFixture()] });
    const { fetch } = bff;
    bff.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('/calls/groups')) return response;
      const groups = (await response.json()) as CallGroups;
      return Response.json({ ...groups, countedFrom: serverNow - 24 * 60 * minute });
    };
    renderAdmin(bff, '/calls');

    expect(await screen.findByText(/counted since 17 May/)).toBeDefined();
  });

  it('lists single failures with what was called, what it met and the answer', async () => {
    show();

    expect(await readRows()).toEqual([
      expect.stringMatching(
        /acme\.example\.comGET \/api\/users\/\{id\}listUsersapi\.example\.comPlatform failed · 503 Down for maintenance120 msrequest-1$/,
      ),
      expect.stringMatching(
        /BoltPOST \/api\/thingsapi\.bolt\.exampleNo connection · connection reset 412 times120 ms2 attempts–$/,
      ),
    ]);
  });

  it('limits the list to one reason, and the address keeps it', async () => {
    show();

    await userEvent.click(await screen.findByRole('link', { name: /connection reset/ }));

    expect(await screen.findByRole('heading', { name: /^Only No connection/ })).toBeDefined();
    await waitFor(async () => expect(await readRows()).toEqual([lost]));
    expect(window.location.search).toBe('?reason=platform_unreachable&fault=ECONNRESET');
    await userEvent.click(screen.getByRole('link', { name: 'Show all calls' }));
    await waitFor(async () => expect(await readRows()).toEqual([failed, lost]));
  });

  it('limits the list to one host', async () => {
    show();

    await userEvent.click(await screen.findByRole('link', { name: /^api\.bolt\.example/ }));

    await waitFor(async () => expect(await readRows()).toEqual([lost]));
  });

  it('shows the sample of successes, too', async () => {
    show();

    await userEvent.click(await screen.findByRole('radio', { name: 'All' }));

    await waitFor(async () => expect(await readRows()).toHaveLength(3));
    expect(await readRows()).toContainEqual(expect.stringContaining('Succeeded · 200'));
  });

  it('names the tenant that it is limited to', async () => {
    show('/calls?installation=bolt');

    expect(await screen.findByRole('heading', { name: 'Only Bolt' })).toBeDefined();
    expect(await readRows()).toEqual([lost]);
  });

  it('asks for another span of time', async () => {
    const bff = show();

    await userEvent.click(await screen.findByRole('radio', { name: '1 h' }));

    expect(window.location.search).toBe('?last=hour');
    const since = Number(new URL(bff.requests.at(-1)?.url ?? '').searchParams.get('since'));
    expect(Date.now() - since).toBeLessThan(61 * minute);
  });

  it('saves what it shows as a file', async () => {
    const saved: Blob[] = [];
    URL.createObjectURL = (blob) => {
      saved.push(blob as Blob);
      return 'blob:calls';
    };
    URL.revokeObjectURL = () => undefined;
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    show();

    await userEvent.click(await screen.findByRole('button', { name: 'Save as CSV' }));

    const text = (await saved[0]?.text()) ?? '';
    expect(text).toContain(',412,bolt,bolt.example,,POST,/api/things,');
  });

  it('shows that no call has failed, or that none matches', async () => {
    show('/calls', []);
    expect(
      await screen.findByRole('heading', { name: 'No call has failed in the last 24 hours' }),
    ).toBeDefined();
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('says when no call matches the filter', async () => {
    show('/calls?host=other.example');
    expect(await screen.findByText('No call matches.')).toBeDefined();
  });

  it('offers to try again when it cannot be loaded', async () => {
    const bff = createFakeBff({ isBroken: true });
    renderAdmin(bff, '/calls');

    await screen.findByText('The calls could not be loaded');
    bff.isBroken = false;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

    expect(await screen.findByText(/No call has failed/)).toBeDefined();
  });
});
