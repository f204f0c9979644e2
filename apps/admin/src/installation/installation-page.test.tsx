import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  detailFixture,
  eventFixture,
  installationFixture,
  serverNow,
  tokenOperationFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

describe('the page of an installation', () => {
  it('tells status, generation, access token and identity', async () => {
    renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');

    await screen.findByRole('heading', { name: 'acme.example.com f18ddfb6' });

    expect(screen.getByText('Generation 2')).toBeDefined();
    const card = within(screen.getByRole('region', { name: 'Access token' }));
    expect(card.getByText('Stored (encrypted)')).toBeDefined();
    expect(card.getByText('Granted')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Copy tenant id' })).toBeDefined();
    expect(screen.getByRole('region', { name: 'Instances (1)' })).toBeDefined();
  });

  it('names a scope that was requested and not granted', async () => {
    const installation = installationFixture({ grantedScopes: [] });
    const details = [detailFixture({ installation })];
    renderAdmin(createFakeBff({ details }), '/installations/acme');

    expect(await screen.findByText('Not granted')).toBeDefined();
  });

  it('shows why an event was refused, as a word and as a sentence', async () => {
    const events = [
      eventFixture({ id: 2, status: 400, reason: 'scope_missing' }),
      eventFixture({ id: 1, event: 'install' }),
    ];
    renderAdmin(createFakeBff({ details: [detailFixture({ events })] }), '/installations/acme');

    const timeline = await screen.findByRole('list', { name: 'Lifecycle events' });
    const [refused, install] = within(timeline).getAllByRole('listitem');

    expect(refused?.textContent).toContain('scope_missing');
    expect(refused?.textContent).toContain('did not grant a scope');
    expect(refused?.textContent).toContain('400');
    expect(install?.textContent).toContain('The plug-in was installed');
  });

  it('shows the refresh history with a chart that has words', async () => {
    const tokenOperations = [
      tokenOperationFixture({
        id: 2,
        durationMs: 1_200,
        succeeded: false,
        tokenVersion: null,
        reason: 'invalid_grant',
      }),
      tokenOperationFixture({ id: 1, operation: 'exchange' }),
    ];
    const details = [detailFixture({ tokenOperations })];
    renderAdmin(createFakeBff({ details }), '/installations/acme');

    await userEvent.click(await screen.findByRole('tab', { name: 'Refresh history' }));

    const name = 'Durations of the last 2 token operations: longest 1.2 s, 1 failed';
    expect(await screen.findByRole('img', { name })).toBeDefined();
    const history = screen.getByRole('list', { name: 'Refresh history' });
    expect(history.textContent).toContain('invalid_grant');
    expect(history.textContent).toContain('used before, revoked or has expired');
    expect(window.location.search).toBe('?tab=refreshes');
  });

  it('shows a reason that it does not know as its bare word', async () => {
    const lastError = { reason: 'teapot_mood', at: serverNow - 1_000 };
    const installation = installationFixture({ status: 'awaiting_event', lastError });
    const details = [detailFixture({ installation })];
    renderAdmin(createFakeBff({ details }), '/installations/acme');

    expect((await screen.findByRole('alert')).textContent).toMatch(/teapot_mood$/);
  });

  it('says of an uninstalled one that its instances are kept for a while', async () => {
    const installation = installationFixture({ status: 'uninstalled', accessToken: null });
    renderAdmin(
      createFakeBff({ details: [detailFixture({ installation })] }),
      '/installations/acme',
    );

    const card = within(await screen.findByRole('region', { name: 'Instances (1)' }));
    expect(card.getByText(/As they were at the uninstall/)).toBeDefined();
  });

  it('says so when there is no such installation', async () => {
    renderAdmin(createFakeBff(), '/installations/nobody');

    expect(await screen.findByText('There is no such installation')).toBeDefined();
    expect(screen.getByRole('link', { name: 'All installations' })).toBeDefined();
  });
});
