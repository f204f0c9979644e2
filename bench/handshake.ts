/**
 * The cost of a verified handshake in Chromium, compared with the predecessor, two libraries that verify
 * nothing, and the bare minimum. The host's time to sign is subtracted. All run interleaved.
 * `pnpm --filter @dowel/bench handshake`; `--write` renews docs/benchmarks.md and its chart.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { chromium } from '@playwright/test';
import { requireChromium } from '../scripts/find-chromium.ts';
import type { FrameSetting, KeyDelivery } from './handshake/setting.ts';
import { describeHandshakes, drawHandshakes, type HandshakeFigures } from './handshake-report.ts';
import { startServers } from './handshake-servers.ts';
import { isWritten, reportSection } from './report-section.ts';

const rounds = Number(process.env.BENCH_ROUNDS || 40);
const warmRuns = 20;
const contenders = ['floor', 'dowel', 'predecessor', 'penpal', 'comlink'];
const deliveries: KeyDelivery[] = ['pinned', 'jku'];
const chart = new URL('../docs/images/bench-handshake.svg', import.meta.url);

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
const { kty, n, e } = publicKey.export({ format: 'jwk' });
const keyDocument = {
  alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } },
  key: { kty, n, e, alg: 'RS512' } as JsonWebKey,
};
const servers = await startServers(keyDocument);
const browser = await chromium.launch({
  executablePath: await requireChromium(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
});
const page = await browser.newPage();
page.on('pageerror', (error) => {
  throw error;
});
await page.goto(servers.hostAddress);
const secretKey = privateKey.export({ format: 'jwk' }) as JsonWebKey;
await page.evaluate(([key, jku]) => window.signWith(key, jku), [
  secretKey,
  servers.keyAddress,
] as const);

const figures: HandshakeFigures[] = contenders.flatMap((contender) =>
  deliveries.map((keyDelivery) => ({ contender, keyDelivery, cold: [], warm: [], downloads: 0 })),
);
for (let round = -1; round < rounds; round += 1) {
  for (const figure of shuffled(figures)) {
    const { contender, keyDelivery } = figure;
    const setting: FrameSetting = {
      contender,
      srcId: `${contender}-${round}`,
      hostOrigin: new URL(servers.hostAddress).origin,
      keyDelivery,
      keyDocument,
      keyOrigin: new URL(servers.keyAddress).origin,
      warmRuns,
    };
    const before = servers.keyDownloads();
    const [cold = Number.NaN, ...warm] = await page.evaluate(
      ([address, one]) => window.runFrame(address, one),
      [servers.frameAddress, setting] as const,
    );
    if (round < 0) continue;
    figure.downloads += (servers.keyDownloads() - before) / rounds;
    figure.cold.push(cold);
    figure.warm.push(...warm);
  }
}
await browser.close();
await servers.close();

/** Each contender runs directly after itself equally often, because warm code is faster then. */
function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

await reportSection('handshake', describeHandshakes(figures));
if (isWritten) await writeFile(chart, drawHandshakes(figures));
