import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, installationFixture, runFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

const installations = [
  brokenFixture({ id: 'a' }),
  brokenFixture({ id: 'b' }),
  installationFixture(),
];

async function readRequest(bff: FakeBff): Promise<unknown> {
  const sent = bff.requests.find(({ url, method }) => url.endsWith('/runs') && method === 'POST');
  return sent?.json();
}

/** Chooses the action and gives the reason. @returns the dialog. */
async function fillIn(action: string) {
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.selectOptions(dialog.getByLabelText('Action'), action);
  await userEvent.type(dialog.getByLabelText('Reason'), 'maintenance');
  return dialog;
}

describe('a run from the list', () => {
  it.each([
    [true, 'It takes about 1 s if'],
    [false, 'A thousand installations take about 8 min if'],
  ])('says before it starts how long it takes, with an exact count: %s', async (isExact, words) => {
    const bff = createFakeBff({ installations });
    const { fetch } = bff;
    bff.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('/fleet/installations?')) return response;
      return Response.json({ ...(await response.json()), total: { count: 2, isExact } });
    };
    renderAdmin(bff, '/installations?q=example&sort=host');
    await userEvent.click(await screen.findByRole('button', { name: 'Act on all that match' }));
    const dialog = await fillIn('Ask for a new event');

    expect(dialog.getByText(new RegExp(words))).toBeDefined();
  });

  it('takes what the filter finds, with the number in title and button', async () => {
    const bff = createFakeBff({ installations });
    renderAdmin(bff, '/installations?group=broken&sort=host');
    await userEvent.click(await screen.findByRole('button', { name: 'Act on all that match' }));
    const dialog = await fillIn('Pause');

    expect(dialog.getByRole('heading', { name: 'Pause: 2 installations' })).toBeDefined();
    expect(dialog.getByText('Broken')).toBeDefined();
    await userEvent.click(dialog.getByRole('button', { name: 'Pause: 2 installations' }));

    expect(await screen.findByRole('progressbar', { name: /^Pause/ })).toBeDefined();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(await readRequest(bff)).toEqual({
      action: 'pause',
      reason: 'maintenance',
      filter: { group: 'broken' },
    });
  });

  it('names the cause of its filter as the chip of that cause', async () => {
    const causes = ['token_endpoint_answered_503', 'token_endpoint_unreachable'];
    const failing = causes.map((cause) => brokenFixture({ id: cause, cause }));
    renderAdmin(
      createFakeBff({ installations: failing }),
      '/installations?cause=token_endpoint_answered_503',
    );
    const chip = await screen.findByRole('link', { name: /: 503 1/, current: true });
    const name = chip.textContent.replace(/ 1$/, '');

    await userEvent.click(await screen.findByRole('button', { name: 'Act on all that match' }));

    expect(within(await screen.findByRole('dialog')).getByText(name)).toBeDefined();
  });

  it('takes the chosen rows alone', async () => {
    const bff = createFakeBff({ installations });
    renderAdmin(bff, '/installations?group=broken');
    await screen.findByRole('table', { name: 'Installations' });
    await userEvent.keyboard('jx');
    await userEvent.click(await screen.findByRole('button', { name: 'Act on the selection' }));
    const dialog = await fillIn('Test the connection');

    await userEvent.click(dialog.getByRole('button', { name: /1 installation$/ }));

    await screen.findByRole('progressbar');
    expect(await readRequest(bff)).toEqual({ action: 'test', reason: 'maintenance', ids: ['a'] });
  });

  it('shows how far it is, can be stopped, and then says what was done', async () => {
    const run = runFixture({ done: 1, refused: 1, refusals: { no_tokens: 1 } });
    const bff = createFakeBff({ installations, runs: [run] });
    renderAdmin(bff, '/installations');
    const card = within(await screen.findByRole('region', { name: 'Pause: 3 installations' }));

    expect(card.getByText('Running · Done: 1, Refused: 1 (no tokens yet 1)')).toBeDefined();
    expect(card.getByRole('progressbar')).toHaveProperty('value', 2);
    await userEvent.click(card.getByRole('button', { name: /^Stop/ }));

    await expect.poll(() => bff.runs[0]?.state).toBe('stopped');
  });

  it('of another operator appears within ten seconds', async () => {
    stopClock();
    const bff = createFakeBff({ installations });
    renderAdmin(bff, '/installations');
    await screen.findByText('acme.example.com');

    bff.runs = [runFixture()];
    await act(() => vi.advanceTimersByTimeAsync(10_000));

    expect(await screen.findByRole('progressbar', { name: /^Pause/ })).toBeDefined();
  });

  it('that was started here stays after its end, until it is closed', async () => {
    const bff = createFakeBff({ installations });
    renderAdmin(bff, '/installations');
    await userEvent.click(await screen.findByRole('button', { name: 'Act on all that match' }));
    const dialog = await fillIn('Pause');
    await userEvent.click(dialog.getByRole('button', { name: /^Pause/ }));
    await screen.findByText('Running · Done: 0');

    bff.runs = [runFixture({ state: 'done', endedAt: 1, done: 3 })];

    const result = await screen.findByText('Finished · Done: 3');
    expect(result.getAttribute('role')).toBe('status');
    expect(result.getAttribute('aria-live')).toBe('polite');
    await userEvent.keyboard('go');
    await screen.findByRole('heading', { name: 'Overview' });
    await userEvent.keyboard('gi');
    expect(await screen.findByText('Finished · Done: 3')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.queryByText('Finished · Done: 3')).toBeNull();
  });

  it('may be under way when the runs cannot be read, and the page says so', async () => {
    renderAdmin(createFakeBff({ installations, failing: ['/runs'] }), '/installations');

    expect(await screen.findByText('The runs could not be loaded')).toBeDefined();
  });

  it('is not for viewers, and shows them why', async () => {
    renderAdmin(createFakeBff({ installations, role: 'viewer' }), '/installations');
    const button = await screen.findByRole('button', { name: 'Act on all that match' });

    await userEvent.click(button);

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(await screen.findByText(/Viewers cannot do this/)).toBeDefined();
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
