import { fireEvent, screen } from '@testing-library/react';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

it('a text that the browser does not copy is selected, and the page says so', async () => {
  const clipboard = { writeText: () => Promise.reject(new Error('Not allowed')) };
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: clipboard });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'clipboard'));
  renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');

  fireEvent.click(await screen.findByRole('button', { name: 'Copy: Issuer' }));

  expect((await screen.findByRole('alert')).textContent).toMatch(/^It cannot be copied here\./);
  expect(window.getSelection()?.toString()).toBe('https://acme.example.com');
});
