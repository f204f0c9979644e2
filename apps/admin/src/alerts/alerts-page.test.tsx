import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { alertFixture, alertsFixture } from '../testing/alerts-fixture.ts';
import { createFakeBff, type FakeBff } from '../testing/fake-bff.ts';
import { serverNow } from '../testing/fixtures.ts';
import { i18nOf } from '../testing/i18n-of.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

const channels = [
  {
    channel: 'webhook',
    target: 'https://hooks.example.com',
    last: {
      id: 'msg_1',
      kind: 'opened',
      state: 'waiting',
      attempts: 2,
      createdAt: serverNow - 60_000,
      settledAt: null,
      nextAttemptAt: serverNow + 60_000,
      lastError: 'The receiver answered 500.',
      lastAnswer: { kind: 'answered', status: 500, code: null },
    },
    waiting: 2,
  },
  { channel: 'mail', target: null, last: null, waiting: 0 },
] satisfies FakeBff['alerts']['channels'];

async function rowsOf(name: string): Promise<(string | null)[]> {
  const table = await screen.findByRole('table', { name });
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
}

describe('the alerts', () => {
  it('that are open show what is wrong, and since when', async () => {
    stopClock();
    const alerts = alertsFixture({ open: [alertFixture()] });
    renderAdmin(createFakeBff({ alerts }), '/alerts');

    expect(await rowsOf('Open alerts')).toEqual([
      expect.stringMatching(
        /^3 broken for more than 15 minacme\.example\.com · Refresh token refused42 min$/,
      ),
    ]);
    const link = screen.getByRole('link', { name: '3 broken for more than 15 min' });
    expect(link.getAttribute('href')).toBe('/admin/installations?group=broken');
  });

  it('whose cause is gone say so while they wait for their end', async () => {
    stopClock();
    const open = [alertFixture({ clearSince: serverNow - 120_000 })];
    renderAdmin(createFakeBff({ alerts: alertsFixture({ open }) }), '/alerts');

    expect(await rowsOf('Open alerts')).toEqual([
      expect.stringMatching(/Over since .+\. The alert ends if it stays so\./),
    ]);
  });

  it.each([
    ['broken_share', 'scope_missing', 1, /Scope fehlt · 1 Installation/],
    ['broken_share', 'scope_missing', 1_200, /Scope fehlt · 1\.200 Installationen/],
    ['refused_burst', 'expired', 3_200, /Abgelaufen · 3\.200 abgewiesen/],
    ['refused_burst', 'of_another_version', 2, /of_another_version · 2 abgewiesen/],
  ] as const)(
    'of the rule %s name reasons (%s) and counts in German',
    async (rule, name, count, shown) => {
      const worst = [{ installationId: null, name, detail: '', count, since: null }];
      const { facts } = alertFixture();
      const alerts = alertsFixture({ open: [alertFixture({ rule, facts: { ...facts, worst } })] });
      renderAdmin(createFakeBff({ alerts }), '/alerts', i18nOf('de'));

      expect(await rowsOf('Offene Alarme')).toEqual([expect.stringMatching(shown)]);
    },
  );

  it('that are over stay in a list with their peak', async () => {
    const over = alertFixture({ recoveredAt: serverNow, rule: 'hook_parked' });
    renderAdmin(createFakeBff({ alerts: alertsFixture({ recent: [over] }) }), '/alerts');

    expect(await rowsOf('Recent alerts')).toEqual([
      expect.stringMatching(/^3 hook deliveries parked.*27 min4$/),
    ]);
    expect(screen.getByRole('heading', { name: 'No alert is open' })).toBeDefined();
  });

  it.each([
    ['en', false, '1 hook delivery parked'],
    ['de', false, '1 Hook-Zustellung angehalten'],
    ['en', true, '> 1 hook deliveries parked'],
  ] as const)('count one thing as one: %s, at least %s', async (language, isAtLeast, title) => {
    const facts = { ...alertFixture().facts, count: 1, isAtLeast, worst: [] };
    const alerts = alertsFixture({ open: [alertFixture({ rule: 'hook_parked', facts })] });
    renderAdmin(createFakeBff({ alerts }), '/alerts', i18nOf(language));

    expect(await screen.findByRole('link', { name: title })).toBeDefined();
  });

  it('have rules with a limit and a state each', async () => {
    const alerts = alertsFixture({
      rules: [
        { rule: 'broken_for', limit: 20 },
        { rule: 'broken_share', limit: 2.5 },
        { rule: 'refused_burst', limit: 1_200 },
        { rule: 'key_unreadable', limit: null },
      ],
      open: [alertFixture({ rule: 'broken_share' })],
    });
    renderAdmin(createFakeBff({ alerts }), '/alerts');

    expect(await rowsOf('Rules')).toEqual([
      expect.stringMatching(/an installation is broken for more than 20 minQuiet$/),
      expect.stringMatching(/more than 2\.5 % are broken, and at least 5Open$/),
      expect.stringMatching(/more than 1,200 a minute are refused, over 5 minQuiet$/),
      expect.stringMatching(/Off: DOWEL_ALERTS does not name itOff$/),
      expect.stringMatching(/a key is missingQuiet$/),
    ]);
  });

  it('name each channel with what became of its last message', async () => {
    renderAdmin(createFakeBff({ alerts: alertsFixture({ channels }) }), '/alerts');

    expect(await rowsOf('Channels')).toEqual([
      expect.stringMatching(
        /^Webhookhttps:\/\/hooks\.example\.comWaiting Opened.*answered 500\.Next attempt.*2 messages wait/,
      ),
      expect.stringMatching(/^MailNot set up: DOWEL_ALERT_SMTP_URL.*None so far/),
    ]);
  });

  it('can be tested, and the answer of the receiver is shown', async () => {
    const bff = createFakeBff({ alerts: alertsFixture({ channels }) });
    renderAdmin(bff, '/alerts');

    await userEvent.click(await screen.findByRole('button', { name: 'Send test: Webhook' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Send test' }));
    await userEvent.type(dialog.getByLabelText('Reason'), 'A new receiver{Enter}');

    expect(await screen.findByText('The receiver answered 204.')).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/channels/webhook/test'));
    expect(await sent?.json()).toEqual({ reason: 'A new receiver' });
    await userEvent.click(dialog.getByRole('button', { name: 'Close' }));
    const mail = screen.getByRole('button', { name: 'Send test: Mail' });
    expect(mail.getAttribute('aria-disabled')).toBe('true');
  });

  it('say in German what became of a message and of a test', async () => {
    const lastAnswer = { kind: 'unreachable', code: 'ECONNREFUSED' } as const;
    const told = channels.map((each) =>
      each.channel === 'webhook' ? { ...each, last: { ...each.last, lastAnswer } } : each,
    );
    const bff = createFakeBff({ alerts: alertsFixture({ channels: told }) });
    renderAdmin(bff, '/alerts', i18nOf('de'));

    expect(
      await screen.findByText('Der Empfänger ist nicht erreichbar. (ECONNREFUSED)'),
    ).toBeDefined();
    await userEvent.click(await screen.findByRole('button', { name: 'Test senden: Webhook' }));
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.type(dialog.getByLabelText('Grund'), 'Neuer Empfänger{Enter}');

    expect(await dialog.findByText('Der Empfänger hat mit 204 geantwortet.')).toBeDefined();
  });

  it('stay for a viewer, and say why nothing can be done', async () => {
    const alerts = alertsFixture({ open: [alertFixture()], channels });
    renderAdmin(createFakeBff({ alerts, role: 'viewer' }), '/alerts');

    const button = await screen.findByRole('button', { name: 'Send test: Webhook' });
    await userEvent.click(button);
    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect((await screen.findAllByText(/Viewers cannot do this/)).length).toBeGreaterThan(0);
  });

  it('that are open are a line of the overview, which leads to them', async () => {
    renderAdmin(createFakeBff({ alerts: alertsFixture({ open: [alertFixture()] }) }), '/');

    await userEvent.click(await screen.findByRole('link', { name: '1 alert is open' }));

    expect(await screen.findByRole('heading', { level: 1, name: 'Alerts' })).toBeDefined();
  });
});
