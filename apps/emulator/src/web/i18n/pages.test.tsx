/** What the pages show, apart from the data, comes from the texts of their language. */
import type { Examination } from '@dowel/dev/examination';
import {
  type ActiveFault,
  defaultForms,
  type ExchangeSummary,
  type Installation,
  type Instance,
  type Lab,
  type Plugins,
  type UpdateOffer,
} from '@dowel/emulator/control-api';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { App } from '../app.tsx';
import { accepted, installation as plain } from '../fixtures.ts';
import { answerControl, type FakeAnswer, renderPage } from '../test-page.tsx';
import { createI18n } from './create-i18n.ts';
import { en } from './en.ts';
import { faultTexts } from './faults.ts';

/** Never connects. */
class EventSourceStub extends EventTarget {
  close() {}
}

beforeEach(() => vi.stubGlobal('EventSource', EventSourceStub));
afterEach(() => localStorage.clear());

const user = { userId: '1', name: '@Ada', email: '@ada', language: 'de', jobTitle: '@Engineer' };
const colleague = { ...user, userId: '2', name: '@Bob' };
const tenant = { tenantId: '1', name: '@Acme', baseUrl: '@http' };
const instance: Instance = {
  instanceId: '1',
  entryPointId: '1',
  src: '1',
  url: 'about:blank',
  configUrl: 'about:blank',
  title: '@Lunch',
  height: null,
};
const installation: Installation = {
  ...plain,
  pluginId: '1',
  manifestUrl: '@manifest',
  name: '@Nudge',
  description: '@description',
  requestedScopes: ['@scope'],
  entryPoints: [{ id: '1', name: '@One' }],
  instances: [instance],
};
const delivery: ExchangeSummary = { ...accepted, answeredAt: 1, pluginId: '1', url: '@url' };
const examination: Examination = {
  isRunning: false,
  done: 2,
  total: 2,
  passed: 1,
  blocked: 1,
  problem: null,
  findings: (['fail', 'warn', 'open', 'error'] as const).map((verdict) => ({
    id: `@${verdict}`,
    claim: '@claim',
    verdict,
    saw: '@saw',
    why: '@why',
    seen: '@seen',
    fix: '@fix',
    reference: '@reference',
  })),
  notAsked: ['@call'],
  command: '@command',
};
const offer: UpdateOffer = {
  changes: [
    { kind: 'accessChanged', entryPoint: null },
    { kind: 'lifecycleChanged', entryPoint: null },
    { kind: 'entryPointAdded', entryPoint: '@One' },
  ],
  problem: null,
};
const unusable: UpdateOffer = {
  changes: [],
  problem: { code: 'MANIFEST_INVALID', message: '@message' },
};
const failed = { code: 'REFUSED', message: '@message' } as const;
const request: ExchangeSummary = { ...delivery, kind: 'code', pluginId: null, status: 200 };
const exchanges: ExchangeSummary[] = [
  delivery,
  { ...delivery, id: 2, status: 403, error: failed },
  { ...delivery, id: 3, status: 200, error: { ...failed, code: 'INVALID_RESPONSE' } },
  { ...delivery, id: 4, pluginId: '3', status: null, error: { ...failed, code: 'NO_RESPONSE' } },
  { ...request, id: 5, kind: 'refresh', status: 400, error: failed },
  ...Array.from({ length: 12 }, (_, index) => ({ ...request, id: index + 6 })),
];
const notInstalled: Plugins = { installations: [] };
const plugins: Plugins = {
  installations: [installation, { ...installation, pluginId: '2', instances: [] }],
};
const notification = {
  id: 1,
  pluginId: '1',
  pluginName: '@Nudge',
  instanceId: '1',
  message: '@message',
  excerpt: null,
  category: 'ACTIVITY',
  receivedAt: 0,
};
const lab: Lab = {
  clockOffsetSeconds: 60,
  accessTokenLifetimeSeconds: 3_600,
  codeLifetimeSeconds: 60,
  grantedScopes: ['@scope'],
  givesRefreshToken: true,
  refreshTokens: 'rotate',
  reuseEndsGrant: true,
  reuseGraceMs: 0,
  refreshVoidsAccessToken: true,
  exchangeEndsOlderGrants: true,
  forms: defaultForms,
};
const faults: ActiveFault[] = [
  { id: 1, hits: 2, fault: { name: 'key.down', times: 'always', skip: 0 } },
];
const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
const signedOut = { 'GET /control/session': { status: 204 } };
const broken: FakeAnswer = { status: 500, body: { code: '@BROKEN', message: '@message' } };

/** Each text becomes its key, with its variables, in angles: `‹home.you @Ada›`. */
function mask(texts: object, prefix = ''): object {
  const entries = Object.entries(texts).map(([key, value]: [string, string | object]) => {
    if (typeof value === 'object') return [key, mask(value, `${prefix}${key}.`)];
    const variables = value.match(/\{\{[^}]+\}\}/g) ?? [];
    return [key, `‹${[prefix + key, ...variables].join(' ')}›`];
  });
  return Object.fromEntries(entries) as object;
}

function openPages(hash: string, answers: Record<string, FakeAnswer>): void {
  const i18n = createI18n('en');
  i18n.addResourceBundle('en', 'translation', mask(en), false, true);
  i18n.addResourceBundle('en', 'faults', mask(faultTexts.en), false, true);
  answerControl({
    'GET /control/tenants': ok({ tenants: [{ ...tenant, users: [user] }] }),
    'GET /control/session': ok({ user, tenant, colleagues: [user, colleague] }),
    'GET /control/plugins': ok(plugins),
    'GET /control/plugins/1/update': ok(offer),
    'GET /control/plugins/2/update': ok(unusable),
    'GET /control/plugins/1/examination': ok(examination),
    'GET /control/plugins/2/examination': ok({ ...examination, isRunning: true }),
    'GET /control/exchanges': ok({ exchanges }),
    'GET /control/exchanges/1': ok({
      ...delivery,
      headers: {},
      body: '',
      answer: null,
      jwt: { header: {}, claims: { iat: 0, exp: 0 } },
    }),
    'GET /control/notifications': ok({ notifications: [notification] }),
    'GET /control/lab': ok(lab),
    'GET /control/faults': ok({ faults }),
    ...answers,
  });
  window.location.hash = hash;
  renderPage(<App />, i18n);
}

/** All that a person reads or hears, apart from dates and names of the protocol. */
function readTexts(): string[] {
  const ignored =
    'style, script, time, code, option, .clock-time, [role=menuitem][lang], .welcome > :first-child';
  const all = [...document.body.querySelectorAll('*')].filter((each) => !each.closest(ignored));
  const attributes = ['aria-label', 'title', 'alt', 'placeholder', 'data-label'];
  const texts = all.flatMap((each) => [
    ...[...each.childNodes].filter(({ nodeType }) => nodeType === 3).map((node) => node.nodeValue),
    ...attributes.map((name) => each.getAttribute(name)),
  ]);
  return [document.title, ...texts].flatMap((text) => text ?? []);
}

/** Masked texts, data, codes in brackets, a scope, and a duration. */
const expected = /‹[^›]*›|@\w+|https?:\S*|\([A-Z_]+\)|plugin:notify|\b1 ms/g;

/** The texts that have other letters. */
function readOwnTexts(): string[] {
  const isOwn = (text: string) => /\p{L}/u.test(text.replaceAll(expected, ''));
  return [...new Set(readTexts().filter(isOwn))];
}

const find = (mark: string) => screen.findAllByText(mark);

describe('no text is written in a page', () => {
  it.each([
    ['sign-in', '', signedOut, '@Ada'],
    ['home', '#/', {}, '@Lunch'],
    ['home without a plug-in', '#/', { 'GET /control/plugins': ok(notInstalled) }, '@Acme'],
    ['plug-ins', '#/plugins', {}, '@manifest'],
    ['an update that is offered', '#/plugins', {}, '‹offer.entryPointAdded @One›'],
    ['a manifest that is not usable', '#/plugins', {}, '‹offer.problem›'],
    ['an examination', '#/plugins', {}, '‹examination.must 1›'],
    ['plug-ins, not installed', '#/plugins', { 'GET /control/plugins': ok(notInstalled) }, '@Acme'],
    ['a request', '#/plugins/1', {}, '‹exchange.resend›'],
    ['lab', '#/lab', {}, '@scope'],
    [
      'home that fails',
      '#/',
      { 'GET /control/plugins': broken },
      '‹failure.other @message› (@BROKEN)',
    ],
    [
      'lab that fails',
      '#/lab',
      { 'GET /control/lab': broken },
      '‹failure.other @message› (@BROKEN)',
    ],
    [
      'sign-in that fails',
      '',
      { ...signedOut, 'GET /control/tenants': broken },
      '‹signIn.peopleFailed›',
    ],
  ] as const)('%s', async (_name, hash, answers, mark) => {
    openPages(hash, answers);
    await find(mark);

    expect(readTexts().filter((text) => text.includes('‹')).length).toBeGreaterThan(3);
    expect(readOwnTexts()).toEqual([]);
  });

  it('the menu, the notifications and the dialogs', async () => {
    openPages('#/plugins', { 'DELETE /control/plugins/1': broken });
    const actor = userEvent.setup({ pointerEventsCheck: 0 });
    await find('@manifest');

    for (const button of document.querySelectorAll('.bell, .person-menu-button')) {
      await actor.click(button);
    }
    await find('‹shell.pluginLanguage German›');
    const uninstall = [...document.querySelectorAll('.installation-actions-end')][0];
    if (uninstall) await actor.click(uninstall);
    const dialog = await screen.findByRole('dialog', {
      name: '‹installation.uninstallTitle @Nudge›',
    });
    const [, confirm] = dialog.querySelectorAll('button');
    if (confirm) await actor.click(confirm);
    await find('‹failure.other @message› (@BROKEN)');

    expect(readOwnTexts()).toEqual([]);
  });
});

describe('the forms of a tenant and a person', () => {
  it.each(['addTenant', 'addPerson'])('have no text of their own: %s', async (button) => {
    openPages('', signedOut);
    await userEvent.click(await screen.findByText(`‹people.${button}›`));
    await screen.findByRole('dialog');
    await find('‹people.add›');

    expect(readOwnTexts()).toEqual([]);
  });
});

describe('the language', () => {
  it('is chosen in the menu, remembered, and named in the document', async () => {
    answerControl({ 'GET /control/session': ok({ user, tenant, colleagues: [user] }) });
    renderPage(<App />);
    const menu = await screen.findByRole('button', { name: /^Account menu/ });
    expect(document.documentElement.lang).toBe('en');

    await userEvent.click(menu);
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Deutsch' }));

    expect(await screen.findByRole('button', { name: /^Kontomenü/ })).toBe(menu);
    expect(document.documentElement.lang).toBe('de');
    expect(document.title).toBe('Start · @Acme · Dowel Plattform-Emulator');
    expect(localStorage.getItem('dowel-emulator-language')).toBe('"de"');
  });
});
