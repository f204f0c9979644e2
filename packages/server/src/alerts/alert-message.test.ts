import { type Alert, alertRuleSchema } from '@dowel/admin-api';
import { expect, test } from 'vitest';
import { composeMessage, composeTest } from './alert-message.ts';
import type { AlertSettings } from './alert-settings.ts';

const since = Date.UTC(2026, 10, 22, 12, 47);

const alert: Alert = {
  id: 'alert-1',
  rule: 'broken_for',
  subject: '',
  since,
  openedAt: since + 15 * 60_000,
  clearSince: null,
  recoveredAt: null,
  facts: {
    count: 3,
    isAtLeast: false,
    of: null,
    limit: 15,
    worst: [
      { installationId: 'acme', name: 'Acme\nInc', detail: 'invalid_grant', count: null, since },
    ],
  },
  peak: 4,
};

function contextOf(settings: Pick<AlertSettings, 'language' | 'timeZone'>) {
  const now = () => since + 90 * 60_000;
  return { settings, publicUrl: 'https://polls.example.com', pluginName: 'Lunch menu', now };
}

const german = contextOf({ language: 'de', timeZone: 'Europe/Berlin' });

test('a message is in the language and the time zone of the settings', () => {
  const { text, data } = composeMessage(german, { kind: 'opened', alert });

  expect(text.split('\n')).toEqual([
    '3 Installationen sind seit mehr als 15 min gestört.',
    'Plug-in: Lunch menu.',
    'Seit 22. Nov. 2026, 13:47 MEZ, Dauer: 1 h 30 min.',
    'Am stärksten betroffen:',
    '- Acme Inc: invalid_grant, seit 22. Nov. 2026, 13:47 MEZ',
    '… und 2 weitere.',
    expect.stringMatching(/^Wie es weitergeht: Dowel versucht es an jedem Token-Endpunkt erneut/),
    expect.stringMatching(/^Was Sie tun können: Prüfen Sie die Ursachen\./),
    'https://polls.example.com/admin/installations?group=broken',
  ]);
  expect(data.since).toBe('2026-11-22T12:47:00.000Z');
});

test('a message without these settings is in English, and its times are in UTC', () => {
  const recovered = { ...alert, recoveredAt: since + 60 * 60_000 };

  const { text } = composeMessage(contextOf({ language: 'en', timeZone: 'UTC' }), {
    kind: 'recovered',
    alert: recovered,
  });

  expect(text.split('\n')).toEqual([
    'Recovered: 3 installations have been broken for more than 15 min.',
    'Plug-in: Lunch menu.',
    'Since 22 Nov 2026, 12:47 UTC, for 1 h 0 min.',
    'Over at 22 Nov 2026, 13:47 UTC. At most 4 at once.',
    'https://polls.example.com/admin/installations?group=broken',
  ]);
});

test.each(alertRuleSchema.options)('the title of %s is in the language', (rule) => {
  const [english, translated] = [contextOf({ language: 'en', timeZone: 'UTC' }), german].map(
    (context) => composeMessage(context, { kind: 'opened', alert: { ...alert, rule } }).data,
  );

  for (const member of ['title', 'next', 'todo'] as const) {
    expect(translated?.[member]).not.toBe(english?.[member]);
  }
});

test('a test message is in the language', () => {
  expect(composeTest(german).text).toMatch(/^Test: Alarme von Dowel kommen hier an\.\n/);
});
