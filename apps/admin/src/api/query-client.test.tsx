import { onlineManager } from '@tanstack/react-query';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture, hookFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

function goOffline(): void {
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
}

describe('a browser that says it is offline', () => {
  it('sends an action at once, says that it failed, and does not send it later', async () => {
    const bff = createFakeBff({ details: [detailFixture()] });
    renderAdmin(bff, '/installations/acme');
    await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
    const dialog = within(await screen.findByRole('dialog'));
    const { fetch } = bff;
    let attempts = 0;
    bff.fetch = async (input, init) => {
      if (!String(input).endsWith('/actions/pause')) return fetch(input, init);
      attempts += 1;
      throw new TypeError('Failed to fetch');
    };
    goOffline();

    await userEvent.type(dialog.getByLabelText('Reason'), 'moving{Enter}');
    expect((await dialog.findByRole('alert')).textContent).toContain('Dowel does not answer');
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await act(async () => onlineManager.setOnline(true));

    expect(attempts).toBe(1);
  });

  it('loads what a Dowel on the same machine answers', async () => {
    goOffline();

    renderAdmin(createFakeBff({ hooks: [hookFixture()] }), '/hooks');

    expect(await screen.findByText('The CRM answered 503.')).toBeDefined();
  });
});
