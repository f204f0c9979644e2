import { expect, test } from 'vitest';
import type { Delivery } from './deliveries-api.ts';
import { listDeliveryLines } from './deliveries-csv.ts';

test('a claimed issuer that a spreadsheet would take for a formula gets an apostrophe', () => {
  const deliveries = [
    {
      id: 'one',
      at: 0,
      event: 'install',
      plugin: '',
      installationId: null,
      name: '',
      host: '-2.example',
      isVerified: false,
      status: 400,
      reason: 'signature_invalid',
      isRepeat: false,
      durationMs: 2,
      offBySeconds: null,
      sender: '192.0.2.7',
      requestId: 'r',
    },
  ] satisfies Delivery[];

  expect(listDeliveryLines(deliveries, 'en')).toEqual([
    '\u{feff}at,event,host,verified,installation,status,reason,repeated,duration_ms,sender,plugin,request_id\r\n',
    "1970-01-01T00:00:00.000Z,install,'-2.example,0,,400,signature_invalid,0,2,192.0.2.7,,r\r\n",
  ]);
  expect(listDeliveryLines(deliveries, 'de')[0]).toBe(
    '\u{feff}um;ereignis;host;geprueft;installation;status;grund;wiederholt;dauer_ms;absender;plug_in;anfrage_id\r\n',
  );
});
