import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

it('on a phone, More is marked while one of its pages is shown', async () => {
  renderAdmin(createFakeBff(), '/alerts');
  const more = await screen.findByRole('button', { name: 'More' });
  await waitFor(() => expect(more.getAttribute('aria-current')).toBe('true'));

  await userEvent.click((await screen.findAllByRole('link', { name: /^Events/ }))[0] as Element);

  await waitFor(() => expect(more.getAttribute('aria-current')).toBeNull());
});
