import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createEventWriter } from './event-writer.ts';

/** A reader that takes nothing until the test reads. */
function openStream(maxBlockedMs = 60_000, gap?: string) {
  const stream = new PassThrough({ encoding: 'utf8' });
  return { stream, writer: createEventWriter(stream, maxBlockedMs, gap) };
}

/** Sends different events until the stream takes no more. */
function fill({ stream, writer }: ReturnType<typeof openStream>): void {
  for (let count = 0; !stream.writableNeedDrain; count += 1) writer.send('filler', { count });
}

test('an event has a name and its data in JSON', () => {
  const { stream, writer } = openStream();

  writer.send('changed', { id: 'a\nb' });

  expect(stream.read()).toBe(': connected\n\nevent: changed\ndata: {"id":"a\\nb"}\n\n');
});

test('I05: equal events are one event for a reader that is behind', async () => {
  const opened = openStream();
  fill(opened);

  for (let round = 0; round < 100_000; round += 1) opened.writer.send('late', { id: round % 100 });

  let text = '';
  opened.stream.on('data', (piece: string) => {
    text += piece;
  });
  await vi.waitFor(() => expect(text).toContain('{"id":99}'), 120_000);
  expect(text.match(/^event: late$/gm)).toHaveLength(100);
});

test('I05: with a gap, what a reader missed is one event', async () => {
  const opened = openStream(60_000, 'event: gap\n\n');
  fill(opened);
  for (let id = 0; id < 100; id += 1) opened.writer.send('missed', { id });

  let text = '';
  opened.stream.on('data', (piece: string) => {
    text += piece;
  });
  await vi.waitFor(() => expect(text).toContain('event: gap'), 120_000);
  opened.writer.sendText('event: after\n\n');
  await vi.waitFor(() => expect(text).toContain('event: after'), 120_000);

  expect(text).not.toContain('event: missed');
  expect(text).toMatch(/event: gap\n\nevent: after\n\n$/);
});

test('I05: a reader for whom more than 2,000 events wait is disconnected', () => {
  const opened = openStream();
  fill(opened);

  for (let id = 0; id < 2_000; id += 1) opened.writer.send('late', { id });
  expect(opened.stream.destroyed).toBe(false);
  opened.writer.send('late', { id: 2_000 });

  expect(opened.stream.destroyed).toBe(true);
});

test('I05: a beat disconnects a reader that takes nothing for too long', async () => {
  const [patient, impatient] = [openStream(), openStream(0)];
  for (const opened of [patient, impatient]) fill(opened);

  await vi.waitFor(() => {
    for (const { writer } of [patient, impatient]) writer.beat();
    expect(impatient.stream.destroyed).toBe(true);
  }, 120_000);

  expect(patient.stream.destroyed).toBe(false);
});

test('nothing is written after the end', () => {
  const { stream, writer } = openStream();
  stream.on('error', (error) => {
    throw error;
  });

  stream.end();
  writer.send('changed', {});
  writer.beat();

  expect(stream.read()).toBe(': connected\n\n');
});
