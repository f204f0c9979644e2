import { expect, test } from 'vitest';
import type { RefusalGroup } from './refusals-api.ts';
import { listRefusalLines } from './refusals-csv.ts';

test('a claimed issuer that a spreadsheet would take for a formula gets an apostrophe', () => {
  const groups = [
    {
      reason: 'signature_invalid',
      kind: 'event',
      issuer: '-2.example',
      sender: '192.0.2.7',
      plugin: '',
      count: 7,
      firstAt: 0,
      lastAt: 1_000,
    },
  ] satisfies RefusalGroup[];

  expect(listRefusalLines(groups, 'en')).toEqual([
    '\u{feff}reason,kind,claimed_issuer,sender,plugin,count,first_at,last_at\r\n',
    "signature_invalid,event,'-2.example,192.0.2.7,,7,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z\r\n",
  ]);
  expect(listRefusalLines(groups, 'de')[0]).toBe(
    '\u{feff}grund;art;behaupteter_issuer;absender;plug_in;anzahl;zuerst_um;zuletzt_um\r\n',
  );
});
