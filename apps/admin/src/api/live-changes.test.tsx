import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

it('says whether changes arrive by themselves, and if not, since when', async () => {
  const installations = [installationFixture()];
  const { changes } = renderAdmin(createFakeBff({ installations }), '/installations');
  await screen.findByText('acme.example.com');

  act(() => void changes.dispatchEvent(new Event('open')));
  expect(screen.getByText('Live')).toBeDefined();

  act(() => void changes.dispatchEvent(new Event('error')));
  expect(screen.getByText(/^Not live since \d/)).toBeDefined();
});
