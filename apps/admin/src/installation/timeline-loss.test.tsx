import { act, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture, failingFixture, refreshEntry, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';
import { findLoss } from './timeline-loss.tsx';

const minute = 60_000;
const outage = {
  id: 1,
  generation: 2,
  cause: 'server_error',
  beganAt: serverNow - 20 * minute,
  accessEndsAt: serverNow + 90_000,
  endedAt: null,
  endedBy: null,
};

describe('the moment when access was lost', () => {
  it('appears in the timeline when the token ends, though nothing happened then', async () => {
    stopClock();
    const detail = detailFixture({ installation: failingFixture(), outages: [outage] });
    const timeline = [
      refreshEntry({ id: 2, startedAt: serverNow - minute, succeeded: false, reason: 'x' }),
      refreshEntry({ id: 1, startedAt: serverNow - 20 * minute, succeeded: false, reason: 'x' }),
    ];
    renderAdmin(createFakeBff({ details: [detail], timeline }), '/installations/initech');
    const list = within(await screen.findByRole('list', { name: /newest first/ }));
    expect(await list.findAllByRole('listitem')).toHaveLength(2);

    act(() => {
      vi.advanceTimersByTime(91_000);
    });

    const [lost, ...failed] = list.getAllByRole('listitem');
    expect(lost?.textContent).toContain('Access lost here');
    expect(failed).toHaveLength(2);
  });

  it('is none of an outage that a token lived through, of an earlier life, or before the first tokens', () => {
    const past = { ...outage, accessEndsAt: serverNow - minute };
    const through = { ...past, endedAt: past.accessEndsAt - 1, endedBy: 'refresh' } as const;
    const neverGranted = { ...detailFixture().scopes, at: null };

    expect(findLoss(detailFixture({ outages: [past] }), serverNow)).toBe(past.accessEndsAt);
    for (const changes of [
      { outages: [through] },
      { outages: [{ ...past, generation: 1 }] },
      { outages: [past], scopes: neverGranted },
      { outages: [] },
    ]) {
      expect(findLoss(detailFixture(changes), serverNow)).toBeNull();
    }
  });
});
