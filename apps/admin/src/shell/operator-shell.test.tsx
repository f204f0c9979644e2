import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

it('while the page is cut off, it says as of when its states and ages are', async () => {
  const bff = createFakeBff({ details: [detailFixture()] });
  const { changes } = renderAdmin(bff, '/installations/acme');
  await screen.findByRole('region', { name: 'In short' });
  expect(screen.queryByText(/^As of/)).toBeNull();

  act(() => {
    changes.dispatchEvent(new Event('error'));
  });

  const words = /^As of \d\d:\d\d:\d\d: states, counts and ages/;
  const line = screen.getByText(words);
  expect(screen.getByRole('main').firstElementChild).toBe(line);
  act(() => {
    changes.dispatchEvent(new Event('open'));
  });
  expect(screen.queryByText(words)).toBeNull();
});
