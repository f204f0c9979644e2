import { expect, test } from 'vitest';
import type { RefusedRequest } from './refusals-api.ts';
import { listRefusalLines } from './refusals-csv.ts';

test('a claimed issuer that a spreadsheet would take for a formula gets an apostrophe', () => {
  const refusals = [
    {
      at: 0,
      reason: 'signature_invalid',
      kind: 'event',
      issuer: '-2.example',
      sender: '192.0.2.7',
      plugin: '',
    },
  ] satisfies RefusedRequest[];

  expect(listRefusalLines(refusals, 'en')).toEqual([
    '\u{feff}at,reason,kind,claimed_issuer,sender,plugin\r\n',
    "1970-01-01T00:00:00.000Z,signature_invalid,event,'-2.example,192.0.2.7,\r\n",
  ]);
  expect(listRefusalLines(refusals, 'de')[0]).toBe(
    '\u{feff}um;grund;art;behaupteter_issuer;absender;plug_in\r\n',
  );
});
