import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createStreamWriter } from './stream-writer.ts';

const full = 'x'.repeat(200_000);

test('what comes while the reader is behind is one gap', async () => {
  const stream = new PassThrough();
  const { send } = createStreamWriter(stream, 60_000);
  send(full);
  send('missed');
  send('missed');

  const texts: string[] = [];
  stream.on('data', (chunk) => texts.push(String(chunk)));
  await new Promise((resolve) => stream.once('drain', resolve));
  send('after');
  await new Promise(setImmediate);

  expect(texts.join('').replace(full, 'full ')).toBe(
    ': connected\n\nfull event: gap\ndata: {}\n\nafter',
  );
});

test('a beat disconnects a reader that has taken nothing for too long, and no other', async () => {
  const patient = new PassThrough();
  const impatient = new PassThrough();
  for (const [stream, maxBlockedMs] of [
    [patient, 60_000],
    [impatient, -1],
  ] as const) {
    const { send, beat } = createStreamWriter(stream, maxBlockedMs);
    beat();
    expect(stream.destroyed).toBe(false);
    send(full);
    beat();
  }

  expect([patient.destroyed, impatient.destroyed]).toEqual([false, true]);
});
