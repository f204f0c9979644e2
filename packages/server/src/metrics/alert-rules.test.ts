/** The files for Prometheus and Grafana. They name what a started server has, and the operations guide explains each rule. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { startServerWorld } from '../testing/server-world.ts';
import { labelValues } from './label-values.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const read = (file: string) => readFileSync(pathOf(file), 'utf8');
const rulesFile = '../../metrics/alert-rules.yml';
const guide = read('../../../../docs/operations.md');

const rules = [...read(rulesFile).matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
const hasPromtool = promtool('--version').error === undefined;

let known: string[];

beforeAll(async () => {
  await using world = await startServerWorld();
  await world.create({ metrics: { port: 0 } }).start();
  const line = world.lines.find(({ message }) => message === 'metrics.listening');
  const text = await (await fetch(`http://127.0.0.1:${String(line?.fields.port)}/metrics`)).text();
  known = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
});

const metricsIn = (text: string) =>
  [...text.matchAll(/\bdowel_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ''));

test.each([rulesFile, '../../metrics/grafana-dashboard.json'])(
  '%s names no metric that a server lacks',
  (file) => {
    const names = new Set(metricsIn(read(file)));

    expect(names.size).toBeGreaterThan(10);
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
  },
);

const labelsIn = (text: string) =>
  [...text.matchAll(/\b(\w+)=~?\\?"([^"\\]+)\\?"/g)].filter(([, label = '']) =>
    Object.hasOwn(labelValues, label),
  );

test.each([rulesFile, '../../metrics/grafana-dashboard.json'])(
  '%s names no value that a label never has',
  (file) => {
    const labels = labelsIn(read(file));

    expect(labels.length).toBeGreaterThan(0);
    for (const [matcher, label = '', pattern = ''] of labels) {
      const values = labelValues[label] ?? [];
      for (const each of pattern.split('|')) {
        const isKnown = values.some((value) => new RegExp(`^${each}$`).test(value));
        expect(isKnown, matcher).toBe(true);
      }
    }
  },
);

test('each rule has a case for promtool', () => {
  const cases = read('./alert-rules.promtool.yml').matchAll(/alertname: (\w+)/g);

  expect(new Set([...cases].map(([, name]) => name))).toEqual(new Set(rules));
});

test('the operations guide has a line for each metric and for each rule', () => {
  const explained = [...guide.matchAll(/^\| `(Dowel\w+)` \| .+ \| .+ \|$/gm)].map(
    ([, name]) => name,
  );
  const described = new Set(metricsIn(guide));

  expect(explained).toEqual(rules);
  expect(known.filter((name) => !described.has(name))).toEqual([]);
});

test.skipIf(!hasPromtool)('promtool accepts the rules, and each fires above its limit only', () => {
  const checked = promtool('check', 'rules', pathOf(rulesFile));
  const tested = promtool('test', 'rules', pathOf('./alert-rules.promtool.yml'));

  expect(checked.stdout + checked.stderr).toContain(`SUCCESS: ${rules.length} rules found`);
  expect(tested.stdout + tested.stderr).toMatch(/SUCCESS/);
});
