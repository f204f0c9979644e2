import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, test } from 'vitest';
import { Poll } from '../vote/page.tsx';

afterEach(cleanup);

test('the page of the poll shows the votes, and that a user has voted already', async () => {
  const answers = [
    Response.json({ soup: 2, salad: 1 }),
    Response.json({ code: 'ALREADY_VOTED', message: 'x' }, { status: 409 }),
    new Response('<h1>Oops</h1>', { status: 502 }),
  ];
  const adapter = { fetch: async () => answers.shift() ?? Response.error() };
  render(<Poll adapter={adapter} />);

  for (const status of ['Soup 2, salad 1', 'You have voted already', /did not arrive/]) {
    fireEvent.click(screen.getByRole('button', { name: 'Soup' }));
    await screen.findByText(status);
  }
});
