import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { settingFixture, settingsFixture } from '../testing/settings-fixture.ts';

const rowsOf = (name: string) =>
  within(screen.getByRole('table', { name }))
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);

const settings = [
  settingFixture(),
  settingFixture({
    name: 'DOWEL_PORT',
    group: 'server',
    values: [],
    unit: null,
    note: 'hostListens',
  }),
  settingFixture({
    name: 'DOWEL_OIDC_CLIENT_SECRET',
    label: { en: 'Client secret', de: 'Client-Secret' },
    group: 'signIn',
    values: [],
    unit: null,
    secret: { fingerprint: '0badcafe' },
    source: 'environment',
  }),
  settingFixture({
    name: 'hookPolicy.delaysMs',
    label: { en: 'Waits between attempts', de: 'Pausen zwischen Versuchen' },
    group: 'hooks',
    values: ['5000', '120000', '7200000'],
    unit: 'ms',
    source: 'option',
  }),
  settingFixture({
    name: 'DOWEL_AUDIENCE',
    label: { en: 'Accepted audiences', de: 'Angenommene Empfänger (aud)' },
    group: 'events',
    values: [],
    unit: null,
  }),
];

async function show(): Promise<void> {
  renderAdmin(createFakeBff({ settings: settingsFixture({ settings }) }), '/settings');
  await screen.findByRole('heading', { level: 2, name: 'Versions' });
}

describe('the settings', () => {
  it('show what is in effect, in groups, and what it comes from', async () => {
    await show();

    expect(rowsOf('Storage and retention')).toEqual([
      'History is kept forDOWEL_HISTORY_DAYS30 daysDefault',
    ]);
    expect(rowsOf('Hooks')).toEqual([
      'Waits between attemptshookPolicy.delaysMs5 s · 2 min · 2 h 00 minProgram',
    ]);
    expect(rowsOf('Events')).toEqual(['Accepted audiencesDOWEL_AUDIENCEnot setDefault']);
    expect(rowsOf('Server')[0]).toContain('The host framework listens');
    expect(screen.queryByRole('table', { name: 'Platform' })).toBeNull();
  });

  it('never show a secret, only its fingerprint', async () => {
    await show();

    expect(rowsOf('Sign-in of operators')).toEqual([
      'Client secretDOWEL_OIDC_CLIENT_SECRETSet, fingerprint 0badcafeEnvironment',
    ]);
  });

  it('can be reduced to those that have not their default', async () => {
    await show();

    await userEvent.click(screen.getByRole('button', { name: 'Changed 2' }));

    expect(screen.getAllByRole('table')).toHaveLength(2);
    expect(screen.queryByText('DOWEL_HISTORY_DAYS')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'All 5' }));
    expect(screen.getByText('DOWEL_HISTORY_DAYS')).toBeDefined();
  });

  it('come with the versions, and a link to the reference of each plug-in', async () => {
    await show();

    expect(screen.getByText('SQLite 3.53.4')).toBeDefined();
    expect(screen.getByText('0019')).toBeDefined();
    expect(screen.getByText(/the standby is asynchronous/)).toBeDefined();
    expect(screen.getByText('Production: insecure settings stop the start')).toBeDefined();
    const link = screen.getByRole('link', { name: 'Operations reference' });
    expect(link.getAttribute('href')).toBe('/openapi.html');
  });

  it('link to each page of the guide that is built beside the dashboard', async () => {
    await show();
    const script = join(import.meta.dirname, '../../scripts/write-guide.ts');
    const [, list = ''] = /const names = \[(.*?)\]/s.exec(readFileSync(script, 'utf8')) ?? [];
    const names = [...list.matchAll(/\w+/g)].map(String);

    const links = [...document.querySelectorAll('a[href*="/guide/"]')];

    expect(links.map((link) => link.getAttribute('href'))).toEqual(
      names.map((name) => `/admin/guide/${name}.html`),
    );
  });

  it('are not loaded for a viewer, and the page says who may see them', async () => {
    const bff = createFakeBff({ role: 'viewer' });
    renderAdmin(bff, '/settings');

    expect(await screen.findByText('Operators and owners see the settings.')).toBeDefined();
    expect(bff.requests.some(({ url }) => url.endsWith('/settings'))).toBe(false);
  });
});

it('a failure is shown with a button that tries again', async () => {
  const bff = createFakeBff({ isBroken: true });
  renderAdmin(bff, '/settings');
  const again = await screen.findByRole('button', { name: 'Try again' });
  bff.isBroken = false;

  await userEvent.click(again);

  expect(await screen.findByText('DOWEL_HISTORY_DAYS')).toBeDefined();
});

it('g and s lead to the page', async () => {
  renderAdmin(createFakeBff(), '/audit');
  await screen.findByRole('heading', { level: 1, name: 'Audit' });

  await userEvent.keyboard('gs');

  expect(await screen.findByRole('heading', { level: 1, name: 'Settings' })).toBeDefined();
});
