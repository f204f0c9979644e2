import type { Alerts, FleetSeries } from '@dowel/admin-api';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { alertsFixture } from '../testing/alerts-fixture.ts';
import { createFakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, installationFixture, seriesFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

const installations = [installationFixture(), brokenFixture()];

function show(series: FleetSeries | undefined = seriesFixture(), rules: Alerts['rules'] = []) {
  const bff = createFakeBff({ installations, series, alerts: alertsFixture({ rules }) });
  renderAdmin(bff, '/');
  return bff;
}

const card = async (name: string) => within(await screen.findByRole('region', { name }));

/** A series of the fixture's length with one value in every step. */
const flat = (value: number | null) => Array<number | null>(288).fill(value);

describe('the charts of the overview', () => {
  it('say in a sentence how many installations were without access', async () => {
    show();

    const chart = await screen.findByRole('img', {
      name: 'Installations without access over the last 24 hours: 411 now, 170 to 411 in that time.',
    });

    expect(chart.querySelectorAll('path[d]').length).toBeGreaterThan(3);
  });

  it('name the most frequent cause and all others at the end of the lines', async () => {
    show();
    const access = await card('Installations without access');

    expect(access.getByText('Scope missing 249')).toBeDefined();
    expect(access.getByText('All other causes 162')).toBeDefined();
  });

  it('name the largest rise with its time and its cause', async () => {
    show();
    const access = await card('Installations without access');

    expect(access.getByText(/^\d\d:\d\d Scope missing, \+241$/)).toBeDefined();
  });

  it('have no rise to name when the counts waver', async () => {
    const groups = { ...seriesFixture().groups, broken: flat(5) };
    show(seriesFixture({ groups, causes: [] }));
    const access = await card('Installations without access');

    expect(access.queryByText(/\+/)).toBeNull();
    expect(access.getByText('5', { selector: '[data-tone]' })).toBeDefined();
  });

  it('draw and name the limits of alerts, where they are within the chart', async () => {
    show(seriesFixture(), [
      { rule: 'broken_share', limit: 0.1 },
      { rule: 'refused_burst', limit: 60 },
    ]);
    const access = await card('Installations without access');

    expect(await access.findByText('alert above 0.1%')).toBeDefined();
    expect(screen.queryByText('alert above 60')).toBeNull();
  });

  it('draw the limit of refusals among them', async () => {
    show(seriesFixture(), [{ rule: 'refused_burst', limit: 5 }]);

    expect(await (await card('Rejected a minute')).findByText('alert above 5')).toBeDefined();
  });

  it('draw no limit without a rule', async () => {
    show();
    await card('Installations without access');

    expect(screen.queryByText(/^alert above/)).toBeNull();
  });

  it('show the same values as a table behind a button', async () => {
    show();
    const access = await card('Installations without access');
    const button = access.getByRole('button', { name: /^Show as a table/ });
    expect(button.getAttribute('aria-expanded')).toBe('false');

    await userEvent.click(button);

    const values = access.getByRole('region', { name: 'Values of: Installations without access' });
    expect(values.tabIndex).toBe(0);
    const [head, newest] = access.getAllByRole('row');
    expect(head?.textContent).toBe(
      'Time fromInstallations without accessScope missingAll other causes',
    );
    expect(within(newest as HTMLElement).getAllByRole('cell')[0]?.textContent).toBe('351');
    expect(access.getAllByRole('row')).toHaveLength(25);
    expect(access.getAllByText('not known').length).toBeGreaterThan(0);
    await userEvent.click(access.getByRole('button', { name: /^Hide the table/ }));
    expect(access.queryByRole('table')).toBeNull();
  });

  it('leave a gap where nothing was recorded', async () => {
    show();
    const chart = await screen.findByRole('img', { name: /^Refreshes a minute/ });

    const line = chart.querySelector('[data-tone="ok"]');
    expect(line?.getAttribute('d')?.match(/M/g)).toHaveLength(2);
  });

  it('show how many refreshes succeed, and what was rejected', async () => {
    show();

    expect((await card('Refreshes that succeed')).getByText('99.95%')).toBeDefined();
    expect(
      (await card('Refreshes a minute')).getByText('1,000', {
        selector: 'div > span:nth-child(2)',
      }),
    ).toBeDefined();
    expect(
      screen.getByRole('img', {
        name: 'Rejected a minute over the last 24 hours: at most 11 refused, and at most 0 answered “try again later”.',
      }),
    ).toBeDefined();
  });

  it('show how many calls fail, and how long they take', async () => {
    show();

    expect(
      await screen.findByRole('img', {
        name: 'Calls a minute over the last 24 hours: at most 572, and at most 90 of them failed.',
      }),
    ).toBeDefined();
    expect((await card('Duration of calls')).getAllByText('340 ms')).toHaveLength(2);
    const failed = screen
      .getByRole('img', { name: /^Calls a minute/ })
      .querySelector('[data-tone="bad"]');
    expect(failed?.getAttribute('d')).toContain('M150.12');
  });

  it('say that no call was made', async () => {
    const none = seriesFixture().callMs.p50.map(() => null);
    show(seriesFixture({ callMs: { p50: none, p95: none } }));

    expect((await card('Duration of calls')).getByText('No call in this time.')).toBeDefined();
  });

  it('show how many events a minute are answered, beside those that were rejected', async () => {
    show();
    const away = await card('Rejected a minute');

    expect(away.getByText('12 events answered')).toBeDefined();

    await userEvent.click(away.getByRole('button', { name: /^Show as a table/ }));
    const [head, newest] = away.getAllByRole('row');
    expect(head?.textContent).toBe('Time fromrefusedtry again laterevents answered');
    expect(
      within(newest as HTMLElement)
        .getAllByRole('cell')
        .at(-1)?.textContent,
    ).toBe('12');
  });

  it('say that nothing was refreshed, instead of a share of nothing', async () => {
    const rates = { ...seriesFixture().rates, refreshed: flat(0), refreshFailed: flat(0) };
    show(seriesFixture({ rates }));

    expect(
      (await card('Refreshes that succeed')).getByText('No refresh in this time.'),
    ).toBeDefined();
  });

  it('say how the counts have changed within the hour', async () => {
    show();

    const figures = within(await screen.findByRole('navigation', { name: 'Counts by state' }));

    expect(await figures.findByText('−169 in the last hour')).toBeDefined();
  });

  it('come by a request of their own, and of another span when it is chosen', async () => {
    const bff = show();
    await card('Refreshes a minute');

    await userEvent.selectOptions(
      screen.getByRole('combobox', { name: 'Time shown' }),
      'Last 7 days',
    );

    const asked = () =>
      bff.requests
        .map(({ url }) => new URL(url))
        .filter(({ pathname }) => pathname.endsWith('/series'));
    await waitFor(() => expect(asked().at(-1)?.search).toBe('?span=7d'));
    expect(asked().map(({ search }) => search)).toEqual(['?span=24h', '?span=7d']);
  });

  it('do not keep the verdict waiting', async () => {
    const bff = createFakeBff({ installations });
    const answer = bff.fetch;
    bff.fetch = (input, init) =>
      String(input).includes('/series') ? new Promise(() => {}) : answer(input, init);
    renderAdmin(bff, '/');

    expect(await screen.findByRole('heading', { name: /has no access/ })).toBeDefined();
    expect(screen.getByText('Loading the charts')).toBeDefined();
  });

  it('that fail leave the rest of the page, and can be tried again', async () => {
    const bff = show();
    bff.series = undefined;
    expect(await screen.findByText('The charts could not be loaded')).toBeDefined();
    expect(screen.getByRole('heading', { name: /has no access/ })).toBeDefined();

    bff.series = seriesFixture();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

    expect(await screen.findByRole('img', { name: /^Refreshes a minute/ })).toBeDefined();
  });

  it('stay when a later load fails, and the page says so', async () => {
    stopClock();
    const bff = show();
    await screen.findByRole('img', { name: /^Refreshes a minute/ });

    bff.series = undefined;
    await act(() => vi.advanceTimersByTimeAsync(60_000));

    expect(await screen.findByText('The charts could not be loaded')).toBeDefined();
    expect(screen.getByRole('img', { name: /^Refreshes a minute/ })).toBeDefined();
  });

  it('say that there are no values yet', async () => {
    const { groups } = seriesFixture();
    const none = Object.fromEntries(Object.keys(groups).map((group) => [group, flat(null)]));
    show(seriesFixture({ groups: none as typeof groups, countingSince: null }));

    expect(await screen.findByText(/^Dowel has just begun to count/)).toBeDefined();
  });

  it('say since when Dowel has been counting', async () => {
    const { from } = seriesFixture();
    show(seriesFixture({ countingSince: from + 3_600_000 }));

    expect(
      await screen.findByText(/^Dowel has been counting since \d+ May \d\d:\d\d\.$/),
    ).toBeDefined();
  });
});
