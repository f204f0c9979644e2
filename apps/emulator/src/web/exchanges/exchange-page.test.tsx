import type { Exchange, ExchangeSummary } from '@dowel/emulator/control-api';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accepted } from '../fixtures.ts';
import { createI18n } from '../i18n/create-i18n.ts';
import { answerControl, renderPage } from '../test-page.tsx';
import { ExchangePage } from './exchange-page.tsx';

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_064_000 }));
afterEach(() => vi.useRealTimers());

const event: ExchangeSummary = {
  ...accepted,
  at: 1_000,
  answeredAt: 1_012,
  event: 'access_token',
};
const code = { ...event, id: 2, at: 1_003, event: null, kind: 'code', direction: 'in' } as const;
const uninstall = { ...event, id: 3, at: 1_012, event: 'uninstall' } as const;
const refused: ExchangeSummary = {
  ...event,
  status: 200,
  error: { code: 'REFUSED', message: 'Status 200, expected 201' },
};
const details: Omit<Exchange, keyof ExchangeSummary> = {
  headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
  body: 'token=[token]',
  answer: { headers: { 'content-type': 'application/json' }, body: '{"answer":"yes"}' },
  jwt: { header: { alg: 'RS512' }, claims: { iat: 1_700_000_000, exp: 1_700_000_060 } },
};

function open(
  exchange: ExchangeSummary,
  { others = [], language = 'en' }: { others?: ExchangeSummary[]; language?: 'en' | 'de' } = {},
) {
  const full = { ...exchange, ...details };
  const fetchFake = answerControl({
    'GET /control/exchanges/1': { status: 200, body: full },
    'GET /control/exchanges/1?reveal=true': {
      status: 200,
      body: { ...full, body: `token=eyJoZWFk.eyJjbGFpbXM.it's signed` },
    },
    'GET /control/exchanges': { status: 200, body: { exchanges: [exchange, ...others] } },
    'POST /control/exchanges/1/resend': { status: 201, body: { ...full, id: 7 } },
  });
  renderPage(<ExchangePage id="1" />, createI18n(language));
  return fetchFake;
}

describe('the view of a request', () => {
  it.each([
    [event, [], 'access_token was accepted: 201 after 12 ms'],
    [
      event,
      [{ ...code, status: 200 }],
      'access_token was accepted: 201 after 12 ms, and its code was exchanged for tokens',
    ],
    [
      refused,
      [{ ...code, status: 200 }, uninstall],
      'access_token was refused: 200 instead of 201, so the installation failed and uninstall was sent',
    ],
    [refused, [{ ...uninstall, at: 60_000 }], 'access_token was refused: 200 instead of 201'],
    [refused, [{ ...uninstall, pluginId: 'p2' }], 'access_token was refused: 200 instead of 201'],
    [
      { ...event, status: null, answeredAt: null, error: { code: 'NO_RESPONSE', message: '' } },
      [],
      'access_token got no answer',
    ],
    [{ ...code, id: 1 }, [], 'Code exchange: tokens were issued after 9 ms'],
    [
      { ...code, id: 1, status: 400, error: { code: 'invalid_grant', message: '' } },
      [],
      'Code exchange: refused with 400 invalid_grant',
    ],
  ] as [ExchangeSummary, ExchangeSummary[], string][])(
    'says %# in one sentence',
    async (exchange, others, sentence) => {
      open(exchange, { others });

      expect(await screen.findByRole('heading', { level: 1, name: sentence })).toBeTruthy();
    },
  );

  it('says it in German, too', async () => {
    open(refused, { others: [uninstall], language: 'de' });

    const sentence =
      'access_token wurde abgelehnt: 200 statt 201, daher ist die Installation fehlgeschlagen, und uninstall wurde gesendet';
    expect(await screen.findByRole('heading', { level: 1, name: sentence })).toBeTruthy();
  });

  it('shows what was sent, what was answered, and what was caused', async () => {
    open(event, { others: [{ ...code, status: 200 }, uninstall] });

    const sent = await screen.findByRole('region', { name: 'Sent' });
    expect(sent.textContent).toContain('POST http://localhost:4310/lifecycle/');
    expect(sent.textContent).toContain('token = [token]');
    expect(sent.textContent).toContain('Expired 4 sec. ago');
    const answered = screen.getByRole('region', { name: 'Answered' });
    expect(answered.textContent).toContain('{\n  "answer": "yes"\n}');
    expect(answered.textContent).toContain('After 12 ms of at most 30 s.');
    const caused = within(screen.getByRole('region', { name: 'Caused' }));
    const links = await caused.findAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['#/plugins/2', '#/plugins/3']);
  });

  it('shows the JWT in its three parts when secrets are asked for', async () => {
    open(event);
    const secrets = await screen.findByRole('switch', { name: 'Show secrets' });
    expect(document.querySelector('[data-part="signature"]')).toBeNull();

    await userEvent.click(secrets);

    const [signature] = await screen.findAllByText('it', { selector: '[data-part]' });
    expect(signature?.closest('pre')?.textContent).toBe("token = eyJoZWFk.eyJjbGFpbXM.it's signed");
  });

  it.each([
    ['Send again as it was', false],
    ['Sign and send again', true],
  ])('"%s" leads to what was sent', async (name, signedAgain) => {
    const fetchFake = open(event);

    await userEvent.click(await screen.findByRole('button', { name }));

    await vi.waitFor(() => expect(window.location.hash).toBe('#/plugins/7'), 120_000);
    const [, init] = fetchFake.mock.calls.find(([path]) => path.endsWith('/resend')) ?? [];
    expect(init?.body).toBe(JSON.stringify({ signedAgain }));
  });

  it('copies a command that sends the request with its secrets', async () => {
    const actor = userEvent.setup();
    open(event);

    await actor.click(await screen.findByRole('button', { name: 'Copy as curl' }));

    await screen.findByText('The command is copied, with its secrets.');
    expect(await navigator.clipboard.readText()).toBe(
      [
        "curl -i -X POST 'http://localhost:4310/lifecycle/' \\",
        "  -H 'content-type: application/x-www-form-urlencoded;charset=UTF-8' \\",
        String.raw`  --data-raw 'token=eyJoZWFk.eyJjbGFpbXM.it'\''s signed'`,
      ].join('\n'),
    );
  });
});
