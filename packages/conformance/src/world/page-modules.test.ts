import { expect, test } from 'vitest';
import { modulesOf } from './page-modules.ts';

const url = 'http://localhost:3000/page?src=x';
const hrefsOf = (answer: string) => modulesOf({ url, answer }).map(({ href }) => href);

test.each([
  ['<script type="module" crossorigin src="/assets/a.js"></script>', '/assets/a.js'],
  ["<SCRIPT SRC='b.js' TYPE='MODULE'></SCRIPT>", '/b.js'],
  ['<script type=module src=c.js></script>', '/c.js'],
  ['<script\n  type="module"\n  src="d.js?a=1&amp;b=2"\n></script>', '/d.js?a=1&b=2'],
  ['<base href="/app/"><script type="module" src="e.js"></script>', '/app/e.js'],
  ['<script type="module" data-note="a > b" src="f.js"></script>', '/f.js'],
])('%j has a module', (html, path) => {
  expect(hrefsOf(html)).toEqual([`http://localhost:3000${path}`]);
});

test.each([
  '<!-- <script type="module" src="/old.js"></script> -->',
  '<script src="/a.js"></script>',
  '<script type="module">import "./a.js"</script>',
  '<script data-type="module" src="/a.js"></script>',
  '<script type="module" data-src="/a.js"></script>',
  '<script type="module-shim" src="/a.js"></script>',
  '<script type="module" src="data:text/javascript,1"></script>',
  '<script type="module" src="http://["></script>',
])('%j has none', (html) => {
  expect(hrefsOf(html)).toEqual([]);
});

test.each(['<script ', "<script '", '<!--', '<script type= '])(
  'a page of %j only takes no long time',
  (part) => {
    expect(hrefsOf(part.repeat((256 * 1024) / part.length))).toEqual([]);
  },
);
