import type { AuditEntry } from '@dowel/admin-api';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rememberLanguage } from '../i18n/language.ts';
import { createFakeBff } from '../testing/fake-bff.ts';
import { serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const entry = {
  id: 1,
  at: serverNow,
  lastAt: serverNow,
  count: 1,
  identity: null,
  who: 'day.desk',
  role: 'operator' as const,
  way: 'page' as const,
  from: '203.0.113.80',
  action: 'ask',
  installationId: 'acme',
  target: 'acme.example.com',
  reason: 'Scope is back',
  result: 'failed' as const,
  detail: 'No answer.',
  meaning: null,
  runId: null,
};

it('says who did what, on what, why, from where and with what result', async () => {
  renderAdmin(createFakeBff({ audit: [entry] }), '/audit');

  const table = within(await screen.findByRole('table', { name: 'Audit' }));
  const cells = table.getAllByRole('cell').map(({ textContent }) => textContent);

  expect(cells.slice(1)).toEqual([
    'day.deskOperator',
    'Ask for a new eventask',
    'acme.example.com',
    'Scope is back',
    'Dashboard203.0.113.80',
    'FailedNo answer.',
  ]);
});

it('shows the code of what another version did', async () => {
  const audit = [{ ...entry, action: 'change-weather' }];
  renderAdmin(createFakeBff({ audit }), '/audit');

  expect(await screen.findByRole('cell', { name: 'change-weather' })).toBeDefined();
});

describe('what became of an action', () => {
  type Row = [string, Partial<AuditEntry>, string];
  const meant: Row[] = [
    [
      'an effect',
      { meaning: { kind: 'effect', effect: 'paused_before' } },
      'Die Installation war bereits pausiert.',
    ],
    [
      'a longer keeping',
      { meaning: { kind: 'effect', effect: 'kept', keptUntil: Date.UTC(2027, 0, 31, 12) } },
      'Der Eintrag bleibt bis 31. Jan. 2027 erhalten.',
    ],
    [
      'a test',
      { meaning: { kind: 'effect', effect: 'tested', call: { status: 200, durationMs: 84 } } },
      'Die Plattform hat nach 84 ms mit 200 geantwortet.',
    ],
    [
      'a failure',
      { meaning: { kind: 'failure', failure: 'timed_out' } },
      'Die Plattform hat nicht rechtzeitig geantwortet. Prüfen Sie, ob sie erreichbar ist.',
    ],
    [
      'a role that was not enough',
      { meaning: { kind: 'role_missing', needed: 'owner', own: 'viewer' } },
      'Dafür ist die Rolle Eigentümer nötig; die Rolle war Betrachter.',
    ],
    [
      'an export',
      { meaning: { kind: 'exported', count: 1200, format: 'csv', isWhole: true } },
      '1.200 Installationen, als CSV.',
    ],
    ['keys', { meaning: { kind: 'keys_removed', keyIds: ['a', 'b'] } }, 'Entfernt: a, b.'],
    [
      'a re-encryption',
      { meaning: { kind: 'resealed', count: 1200, keyId: 'k2' } },
      '1.200 Werte wurden mit Schlüssel k2 verschlüsselt.',
    ],
    ['words of somebody else, or of an earlier version', { meaning: null }, 'No answer.'],
  ];

  it.each(meant)('is said in the language of the reader: %s', async (_, changes, sentence) => {
    rememberLanguage('de');
    onTestFinished(() => localStorage.clear());
    renderAdmin(createFakeBff({ audit: [{ ...entry, ...changes }] }), '/audit');

    expect(await screen.findByText(sentence)).toBeDefined();
  });

  it.each([
    ['start-run', 'pause', 'Pausieren'],
    ['test-alerts', 'mail', 'E-Mail'],
    ['test-alerts', 'a_channel_of_tomorrow', 'a_channel_of_tomorrow'],
    ['sign-in', 'code', 'mit Einmalcode'],
  ])('names in the language of the reader what %s was on: %s', async (action, target, words) => {
    rememberLanguage('de');
    onTestFinished(() => localStorage.clear());
    const row = { ...entry, action, target, installationId: null };
    renderAdmin(createFakeBff({ audit: [row] }), '/audit');

    expect(await screen.findByRole('cell', { name: words })).toBeDefined();
  });
});

it('tells people of one name apart by how they signed in, and counts what was refused again', async () => {
  const identity = { method: 'oidc', issuer: 'https://login.example', subject: '7' } as const;
  renderAdmin(createFakeBff({ audit: [{ ...entry, identity, count: 480 }] }), '/audit');

  expect(await screen.findByText(/by single sign-on/)).toBeDefined();
  expect(screen.getByText(/^480 times, last /)).toBeDefined();
});

/** The day in the reader's zone. */
function dayOf(at: number): string {
  const date = new Date(at);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((each) =>
    String(each).padStart(2, '0'),
  );
  return [date.getFullYear(), month, day].join('-');
}

describe('the filters', () => {
  const dayMs = 86_400_000;
  const now = Date.now();
  const noon = new Date(now).setHours(12, 0, 0, 0);
  const audit = [
    { ...entry, id: 3, at: now, target: 'today' },
    { ...entry, id: 2, at: noon - dayMs, target: 'yesterday', who: 'night.desk' },
    {
      ...entry,
      id: 1,
      at: noon - 30 * dayMs,
      target: 'last month',
      result: 'done' as const,
      action: 'pause',
      installationId: 'bolt',
    },
  ];
  const targets = async () =>
    (await screen.findAllByRole('link'))
      .map(({ textContent }) => textContent)
      .filter((text) => audit.some(({ target }) => target === text));

  it('find what one person did yesterday, and the address keeps them', async () => {
    renderAdmin(createFakeBff({ audit }), '/audit');
    await userEvent.click(await screen.findByRole('link', { name: 'night.desk' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Yesterday' }));

    await waitFor(async () => expect(await targets()).toEqual(['yesterday']));
    expect(screen.getByRole('textbox', { name: /operator/ })).toHaveProperty('value', 'night.desk');
    expect(window.location.search).toBe('?who=night.desk&days=yesterday');
  });

  it.each([
    ['?days=today', ['today']],
    ['?days=week', ['today', 'yesterday']],
    ['?result=done', ['last month']],
    ['?action=pause', ['last month']],
    ['?installation=bolt', ['last month']],
    ['?who=night', ['yesterday']],
    [`?from=${dayOf(noon - dayMs)}`, ['today', 'yesterday']],
    [`?from=${dayOf(noon - dayMs)}&to=${dayOf(noon - dayMs)}`, ['yesterday']],
    [`?to=${dayOf(noon - 2 * dayMs)}`, ['last month']],
    ['?from=2027-02-31', ['today', 'yesterday', 'last month']],
    ['?from=2027-02-99&to=soon', ['today', 'yesterday', 'last month']],
    ['?days=soon&result=perhaps', ['today', 'yesterday', 'last month']],
  ])('of the address %s find %s', async (address, found) => {
    renderAdmin(createFakeBff({ audit }), `/audit${address}`);

    await waitFor(async () => expect(await targets()).toEqual(found));
  });

  it('take an action, and a first day instead of the usual days', async () => {
    renderAdmin(createFakeBff({ audit }), '/audit?days=today');
    const action = await screen.findByRole('combobox', { name: 'By action' });

    await userEvent.selectOptions(action, 'Pause');
    const day = dayOf(noon - 30 * dayMs);
    fireEvent.change(screen.getByLabelText('First day'), { target: { value: day } });

    await waitFor(async () => expect(await targets()).toEqual(['last month']));
    expect(window.location.search).toBe(`?action=pause&from=${day}`);
  });

  it('wait for the end of a day that is typed: its year comes digit by digit', async () => {
    renderAdmin(createFakeBff({ audit }), '/audit');
    const field = await screen.findByLabelText('Last day');

    for (const value of ['0002-01-31', '0020-01-31', '2020-01-31']) {
      fireEvent.keyDown(field, { key: '2' });
      fireEvent.change(field, { target: { value } });
    }
    expect(window.location.search).toBe('');
    expect(field).toHaveProperty('value', '2020-01-31');

    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(window.location.search).toBe('?to=2020-01-31'));
  });

  it('say when nothing matches, and a typed name counts after Enter', async () => {
    renderAdmin(createFakeBff({ audit }), '/audit');

    const field = await screen.findByRole('textbox', { name: /operator/ });
    await userEvent.type(field, 'nobody{Enter}');

    expect(await screen.findByText('Nothing in the audit matches.')).toBeDefined();
    // So that it can be corrected at once.
    expect(document.activeElement).toBe(field);
    await userEvent.clear(field);
    await userEvent.keyboard('{Enter}');
    await waitFor(async () => expect(await targets()).toHaveLength(audit.length));
  });
});
