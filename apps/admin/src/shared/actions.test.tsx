import {
  actionEffectSchema,
  actionFailureReasonSchema,
  actionRefusalReasonSchema,
} from '@dowel/admin-api';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiFailure } from '../api/api-failure.ts';
import { describeEffect } from '../api/describe-effect.ts';
import { createFormats } from '../i18n/formats.ts';
import { rememberLanguage } from '../i18n/language.ts';
import { createFakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, detailFixture } from '../testing/fixtures.ts';
import { i18nOf } from '../testing/i18n-of.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { describeFailure } from './describe-failure.ts';

const english = i18nOf('en').t;
const german = i18nOf('de').t;
const result = { action: 'test', installationId: 'acme', outcome: 'done', auditId: 1 } as const;
const own = "The server's own words.";
const words = { message: own, what: own, why: own, instead: own, auditId: 1 };

const refused = (refusal: (typeof actionRefusalReasonSchema.options)[number]) =>
  new ApiFailure('ACTION_REFUSED', 409, own, {
    undone: { code: 'ACTION_REFUSED', refusal, ...words },
  });
const failed = (failure: (typeof actionFailureReasonSchema.options)[number], reason?: string) =>
  new ApiFailure('ACTION_FAILED', 502, own, {
    undone: { code: 'ACTION_FAILED', failure, ...words, ...(reason !== undefined && { reason }) },
  });

/** Expects the text in both languages, and never the server's text. */
function expectBoth(inEnglish: string, inGerman: string): void {
  expect(inEnglish).toMatch(/^[A-Z\d][^{}]+\.$/);
  expect(inGerman).toMatch(/^[A-ZÄÖÜ\d][^{}]+\.$/);
  expect(inGerman).not.toBe(inEnglish);
  expect(`${inEnglish} ${inGerman}`).not.toContain(own);
}

afterEach(() => localStorage.clear());

describe('the words for what an action did', () => {
  it.each(actionEffectSchema.options)('are in both languages: %s', (effect) => {
    const each = { ...result, effect, message: own };
    expectBoth(
      describeEffect(english, createFormats(english, 'en'), each),
      describeEffect(german, createFormats(german, 'de'), each),
    );
  });

  it('count the sessions that were ended', () => {
    const each = { ...result, effect: 'sessions_ended', message: own } as const;
    const say = (sessions: number) =>
      describeEffect(german, createFormats(german, 'de'), { ...each, sessions });
    expect(say(1)).toBe('Eine Sitzung wurde beendet.');
    expect(say(1_200)).toBe('1.200 Sitzungen wurden beendet.');
  });

  it.each([
    [200, /geantwortet\.$/],
    [401, /lehnt das Access-Token ab\. Erneuern Sie es\.$/],
    [503, /liegt eine Störung vor\.$/],
  ])('judge what the test was answered: %i', (status, end) => {
    const call = {
      method: 'GET',
      url: 'https://acme.example.com',
      status,
      durationMs: 61,
    } as const;
    const each = { ...result, effect: 'tested', message: own, call } as const;
    const said = describeEffect(german, createFormats(german, 'de'), each);
    expect(said).toMatch(`Die Plattform hat nach 61 ms mit ${status} geantwortet.`);
    expect(said).toMatch(end);
  });
});

describe('the words for what was not done', () => {
  it.each(actionRefusalReasonSchema.options)('are in both languages: %s', (reason) => {
    const failure = refused(reason);
    expectBoth(describeFailure(english, failure), describeFailure(german, failure));
  });

  it.each(actionFailureReasonSchema.options)('are in both languages: %s', (reason) => {
    const failure = failed(reason, 'invalid_grant');
    expectBoth(describeFailure(english, failure), describeFailure(german, failure));
  });

  it('name what the token endpoint gave as its reason', () => {
    const failure = failed('no_new_tokens', 'invalid_grant');
    expect(describeFailure(german, failure)).toContain('(invalid_grant)');
  });

  it.each([
    'RUN_UNDER_WAY',
    'ROLE_MISSING',
    'OVERLOADED',
    'EXPORT_UNDER_WAY',
    'NOT_FOUND',
    'INTERNAL_ERROR',
  ])('are in both languages for every request: %s', (code) => {
    const failure = new ApiFailure(code, 409, own);
    expectBoth(describeFailure(english, failure), describeFailure(german, failure));
  });

  it('keep the words of the server for a code that is not known', () => {
    expect(describeFailure(german, new ApiFailure('NEW_ONE', 409, own))).toBe(own);
  });
});

describe('a German page', () => {
  const broken = detailFixture({ installation: brokenFixture() });

  async function pause(undone?: Parameters<typeof createFakeBff>[0]) {
    rememberLanguage('de');
    renderAdmin(createFakeBff({ details: [broken], ...undone }), '/installations/hooli');
    await userEvent.click(await screen.findByRole('button', { name: 'Pausieren' }));
    const dialog = within(await screen.findByRole('dialog'));
    await userEvent.type(dialog.getByLabelText('Grund'), 'Umzug{Enter}');
    return dialog;
  }

  it('says in German what was done', async () => {
    const dialog = await pause();
    expect((await dialog.findByRole('status')).textContent).toMatch(
      /^Pausiert: Aufrufe schlagen sofort fehl/,
    );
  });

  it('says in German why it was refused', async () => {
    const dialog = await pause({ undone: { code: 'ACTION_REFUSED', refusal: 'uninstalled' } });
    expect((await dialog.findByRole('alert')).textContent).toContain(
      'Das Plug-in ist deinstalliert.',
    );
  });

  it('says in German why it failed', async () => {
    const dialog = await pause({ undone: { code: 'ACTION_FAILED', failure: 'timed_out' } });
    expect((await dialog.findByRole('alert')).textContent).toContain('nicht rechtzeitig');
  });
});
