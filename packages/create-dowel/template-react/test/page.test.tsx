// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Poll } from '../src/page.tsx';
import { textsFor } from '../src/texts.ts';

afterEach(cleanup);

const opened = Response.json({ userName: 'Robin', question: '', menu: 'tomato soup' });

function adapterFor(...answers: Response[]) {
  return { fetch: async () => answers.shift() ?? Response.error() };
}

test('the page of the poll shows the votes, and that a user has voted already', async () => {
  const adapter = adapterFor(
    opened.clone(),
    Response.json({ soup: 2, salad: 1 }),
    Response.json({ code: 'ALREADY_VOTED', message: 'x' }, { status: 409 }),
    new Response('<h1>Oops</h1>', { status: 502 }),
  );
  render(<Poll adapter={adapter} texts={textsFor('en')} />);

  await screen.findByText('Today: tomato soup');
  for (const status of ['Soup 2, salad 1', 'You have voted already', /did not arrive/]) {
    fireEvent.click(screen.getByRole('button', { name: 'Soup' }));
    await screen.findByText(status);
  }
});

test('a German user is greeted in German', async () => {
  render(<Poll adapter={adapterFor(opened.clone())} texts={textsFor('de-AT')} />);

  await screen.findByText('Hallo Robin!');
  expect(screen.getByRole('heading').textContent).toBe('Was gibt es zum Mittagessen?');
});

test('a colleague is asked, and a refused notification is said', async () => {
  const adapter = adapterFor(
    opened.clone(),
    Response.json({}),
    Response.json({ code: 'NOTIFICATION_REFUSED', message: 'x' }, { status: 400 }),
  );
  render(<Poll adapter={adapter} texts={textsFor('en')} />);
  await screen.findByText('Hello Robin!');
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'jonas@acme.example' } });

  for (const status of ['The notification was sent', /was not sent/]) {
    fireEvent.click(screen.getByRole('button', { name: 'Ask' }));
    await screen.findByText(status);
  }
});
