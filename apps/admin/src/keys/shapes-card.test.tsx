import type { ShapeEntry } from '@dowel/admin-api';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const shape: ShapeEntry = {
  kind: 'src',
  shape: '<tenantId>_<uuid>',
  count: 3,
  firstAt: serverNow,
  lastAt: serverNow,
};

it('the button copies the shapes as a text, and shows it to a viewer', async () => {
  const user = userEvent.setup();
  const writeText = vi.spyOn(navigator.clipboard, 'writeText');
  renderAdmin(createFakeBff({ shapes: [shape], role: 'viewer' }), '/keys');

  await user.click(await screen.findByRole('button', { name: 'Copy shapes' }));

  const shown = await screen.findByRole('textbox', { name: 'Shapes of the platform' });
  expect(shown).toHaveProperty(
    'value',
    expect.stringMatching(/^src, 3×,.*\n {2}<tenantId>_<uuid>$/m),
  );
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeDefined();
  expect(writeText).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('<tenantId>_<uuid>'));
});

it('a text that the browser does not copy can be selected', async () => {
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Not allowed'));
  renderAdmin(createFakeBff({ shapes: [shape] }), '/keys');

  await user.click(await screen.findByRole('button', { name: 'Copy shapes' }));

  expect((await screen.findByRole('alert')).textContent).toMatch(/Select the text below/);
  expect(screen.getByDisplayValue(/<tenantId>_<uuid>/)).toBeDefined();
});
