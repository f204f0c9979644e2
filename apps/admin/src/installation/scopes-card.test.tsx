import type { FleetDetail } from '@dowel/admin-api';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  installationFixture,
  serverNow,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const minute = 60_000;
const neverGranted: FleetDetail['scopes'] = { ...detailFixture().scopes, granted: [], at: null };
const outage = {
  id: 1,
  generation: 2,
  beganAt: Date.UTC(2033, 4, 11, 12),
  accessEndsAt: serverNow - 44 * minute,
  endedAt: null,
  endedBy: null,
};

/** The only scope's badge, and the words below it. */
async function readScopeOf(detail: FleetDetail): Promise<{ badge: HTMLElement; note: string }> {
  renderAdmin(createFakeBff({ details: [detail] }), `/installations/${detail.installation.id}`);
  const card = within(await screen.findByRole('region', { name: 'Scopes' }));
  const note = card.getByText(/^requested/);
  const badge = note.parentElement?.querySelector<HTMLElement>('[data-tone]');
  if (!badge) throw new Error('The scope has no badge');
  return { badge, note: note.textContent };
}

describe('the scopes of an installation', () => {
  it('stay withdrawn during a pause, even if something else failed later', async () => {
    const installation = installationFixture({
      state: 'paused',
      condition: 'paused',
      lastFailure: { reason: 'body_invalid', at: serverNow - minute },
    });
    const outages = [{ ...outage, cause: 'scope_missing' }];

    const { badge } = await readScopeOf(detailFixture({ installation, outages }));

    expect([badge.textContent, badge.dataset.tone]).toEqual(['Not granted', 'bad']);
  });

  it('are withdrawn by an event that was refused during the pause', async () => {
    const installation = installationFixture({
      state: 'paused',
      condition: 'paused',
      lastFailure: { reason: 'scope_missing', at: serverNow - minute },
    });

    const { badge } = await readScopeOf(detailFixture({ installation }));

    expect(badge.textContent).toBe('Not granted');
  });

  it('are granted during the pause of a healthy one', async () => {
    const installation = installationFixture({ state: 'paused', condition: 'paused' });

    const { badge } = await readScopeOf(detailFixture({ installation }));

    expect([badge.textContent, badge.dataset.tone]).toEqual(['Granted', 'ok']);
  });

  it('are not confirmed, rather than refused, while the platform has sent no tokens', async () => {
    const installation = brokenFixture({
      state: 'no_tokens',
      condition: 'pending',
      cause: null,
      lastFailure: null,
    });
    const detail = detailFixture({ installation, scopes: neverGranted, token: null });

    const { badge } = await readScopeOf(detail);

    expect([badge.textContent, badge.dataset.tone]).toEqual(['Not confirmed', 'risk']);
  });

  it.each([
    ['scope_missing', 'Not granted'],
    ['code_unanswered', 'Not confirmed'],
  ])('of an install that was refused with %s are "%s"', async (reason, words) => {
    const installation = uninstalledFixture({
      state: 'install_refused',
      condition: 'refused',
      cause: reason,
      lastFailure: { reason, at: serverNow - minute },
    });
    const detail = detailFixture({ installation, scopes: neverGranted, token: null });

    const { badge } = await readScopeOf(detail);

    expect(badge.textContent).toBe(words);
  });

  it('say until when they were granted: the first answer without them, not the latest', async () => {
    const installation = brokenFixture({
      cause: 'scope_missing',
      lastFailure: { reason: 'scope_missing', at: serverNow - minute },
    });
    const outages = [{ ...outage, cause: 'scope_missing' }];

    const { note } = await readScopeOf(detailFixture({ installation, outages }));

    expect(note).toBe('requested · granted until 11 May 2033');
  });
});
