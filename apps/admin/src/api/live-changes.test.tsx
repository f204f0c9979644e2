import { act, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { watchChanges } from './live-changes.ts';

it('says whether changes arrive by themselves, and if not, since when', async () => {
  const installations = [installationFixture()];
  const { changes } = renderAdmin(createFakeBff({ installations }), '/installations');
  await screen.findByText('acme.example.com');

  act(() => void changes.dispatchEvent(new Event('open')));
  expect(screen.getByText('Live')).toBeDefined();

  act(() => void changes.dispatchEvent(new Event('error')));
  expect(screen.getByText(/^Not live since \d/)).toBeDefined();
});

it('loads again what is shown when a stream begins, also after a first one that failed', () => {
  const source = Object.assign(new EventTarget(), { readyState: 0, close() {} });
  const onGap = vi.fn();
  const ignore = () => {};
  const stop = watchChanges({
    onStatus: ignore,
    onChanged: ignore,
    onRefused: ignore,
    onGap,
    open: () => source,
  });

  source.dispatchEvent(new Event('error'));
  source.dispatchEvent(new Event('open'));
  source.dispatchEvent(new Event('position'));

  expect(onGap.mock.calls).toEqual([[false]]);
  // The browser sends its last position, and the server sends the missed messages.
  source.dispatchEvent(new Event('error'));
  source.dispatchEvent(new Event('open'));
  expect(onGap).toHaveBeenCalledTimes(1);
  stop();
});
