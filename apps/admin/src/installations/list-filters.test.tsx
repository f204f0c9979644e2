import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, installationFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;
const waiting = installationFixture({
  id: 'waiting',
  host: 'waiting.example',
  state: 'no_tokens',
  condition: 'pending',
  accessEndsAt: serverNow - 9 * minute,
  beganAt: serverNow - 9 * minute,
});
const all = [brokenFixture(), installationFixture(), waiting];

async function show(path: string, installations = all) {
  const bff = createFakeBff({ installations });
  renderAdmin(bff, path);
  await screen.findByRole('table', { name: 'Installations' });
  return bff;
}

const shown = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getByRole('link').textContent);
const lastQuery = ({ requests }: FakeBff) =>
  new URL(requests.findLast(({ url }) => url.includes('/fleet/installations?'))?.url ?? '').search;

describe('the filter of the list', () => {
  it('finds broken ones that have no cause by the name of their state', async () => {
    const bff = await show('/installations?group=broken');

    await userEvent.click(await screen.findByRole('link', { name: 'No access_token event 1' }));

    await waitFor(() => expect(shown()).toEqual(['waiting.example']));
    expect(window.location.search).toBe('?group=broken&cause=no_tokens');
    expect(lastQuery(bff)).toContain('cause=no_tokens');
  });

  it('shows the chosen cause also if others are more frequent, and then the list is not the whole one', async () => {
    const causes = [
      'invalid_client',
      'invalid_grant',
      'scope_missing',
      'server_error',
      'unauthorized_client',
    ];
    const installations = causes.flatMap((cause, index) =>
      Array.from({ length: causes.length - index }, (_, count) =>
        brokenFixture({ id: `${cause}-${count}`, cause }),
      ),
    );
    await show('/installations?cause=unauthorized_client', installations);

    const chip = await screen.findByRole('link', { name: /(unauthorized_client)/ });

    expect(chip.getAttribute('aria-current')).toBe('true');
    expect(screen.getByRole('link', { name: /^All/ }).getAttribute('aria-current')).toBeNull();
  });

  it('limits the list to one plug-in if there are several', async () => {
    const other = installationFixture({ id: 'b', host: 'b.example', pluginId: 'plug-in-b' });
    await show('/installations', [...all, other]);

    const choice = await screen.findByRole('combobox', { name: 'By plug-in' });
    await userEvent.type(choice, 'plug-in-b');

    await waitFor(() => expect(shown()).toEqual(['b.example']));
    expect(window.location.search).toBe('?plugin=plug-in-b');
    await userEvent.clear(choice);
    await waitFor(() => expect(shown()).toHaveLength(all.length + 1));
  });

  it('takes a plug-in that is not among the suggested ones, and says how many are', async () => {
    const many = Array.from({ length: 51 }, (_, index) =>
      installationFixture({ id: `${index}`, host: `${index}.example`, pluginId: `p-${index}` }),
    );
    renderAdmin(createFakeBff({ installations: many }), '/installations');

    const field = await screen.findByRole('combobox', { name: 'By plug-in' });
    expect(field.title).toBe('50 ids are suggested. Any other id can be entered.');
    await userEvent.type(field, ' p-50{Enter}');

    await waitFor(() => expect(shown()).toEqual(['50.example']));
  });

  it('offers no choice of a plug-in if there is only one', async () => {
    await show('/installations');
    await screen.findByRole('combobox', { name: 'By time without access' });

    expect(screen.queryByRole('combobox', { name: 'By plug-in' })).toBeNull();
  });

  it('ends the selection when it changes, so that nothing is done to rows that are not shown', async () => {
    await show('/installations?group=broken');
    await userEvent.keyboard('jx');
    expect(screen.getByText('1 of 2 selected')).toBeDefined();

    await userEvent.click(screen.getByRole('link', { name: 'Working 1' }));

    await waitFor(() => expect(shown()).toEqual(['acme.example.com']));
    expect(screen.queryByText(/selected$/)).toBeNull();
    await userEvent.click(screen.getByRole('link', { name: 'Broken 2' }));
    await waitFor(() => expect(shown()).toHaveLength(2));
    expect(screen.queryByText(/selected$/)).toBeNull();
  });
});

describe('the order of the list', () => {
  it('turns round, in the address and in words', async () => {
    const bff = await show('/installations?group=broken');
    expect(shown()).toEqual(['hooli.example.com', 'waiting.example']);

    await userEvent.click(screen.getByRole('link', { name: 'Broken for' }));

    await waitFor(() => expect(shown()).toEqual(['waiting.example', 'hooli.example.com']));
    expect(lastQuery(bff)).toContain('direction=desc');
    expect(window.location.search).toBe('?group=broken&direction=desc');
    expect(screen.getByText(/Newest outage first$/, { selector: 'span' })).toBeDefined();
    const head = screen.getByRole('columnheader', { name: /Broken for$/ });
    expect(head.getAttribute('aria-sort')).toBe('ascending');

    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'By host');
    await waitFor(() => expect(window.location.search).toBe('?group=broken&sort=host'));
  });
});

describe('the export', () => {
  it('shows how far it is, and saves the file under the name that the server gives it', async () => {
    const bff = await show('/installations');
    const { saved, writer } = holdExport(bff);

    await userEvent.click(screen.getByRole('link', { name: 'Export as CSV' }));
    await writer.write('id\nfirst\nsecond\n');

    expect(await screen.findByText('2 of 3 rows')).toBeDefined();
    await writer.write('third\n');
    await writer.close();
    await waitFor(() => expect(saved).toEqual(['installations-today.csv']));
    expect(screen.queryByText(/of 3 rows/)).toBeNull();
  });

  it('can be cancelled', async () => {
    const bff = await show('/installations');
    const { saved, signals } = holdExport(bff);

    await userEvent.click(screen.getByRole('link', { name: 'Export as JSON' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));

    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(saved).toEqual([]);
  });

  it('says why it failed', async () => {
    const bff = await show('/installations');
    bff.isBroken = true;

    await userEvent.click(screen.getByRole('link', { name: 'Export as CSV' }));

    expect((await screen.findByRole('alert')).textContent).toContain('The export failed. ');
  });
});

/** The export is answered by what the test writes. */
function holdExport(bff: FakeBff) {
  const { readable, writable } = new TransformStream<string, string>();
  const saved: string[] = [];
  const signals: AbortSignal[] = [];
  const { fetch } = bff;
  bff.fetch = async (input, init) => {
    if (!String(input).includes('/fleet/export')) return fetch(input, init);
    if (init?.signal) signals.push(init.signal);
    const headers = { 'Content-Disposition': 'attachment; filename="installations-today.csv"' };
    return new Response(readable.pipeThrough(new TextEncoderStream()), { headers });
  };
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download);
  });
  Object.assign(URL, { createObjectURL: () => 'blob:file', revokeObjectURL() {} });
  return { saved, signals, writer: writable.getWriter() };
}
