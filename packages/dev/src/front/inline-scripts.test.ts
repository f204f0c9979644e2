import { expect, test } from 'vitest';
import { compareInlineScripts } from './inline-scripts.ts';

test('a script that Vite adds has a hash; one of the author has none, and is noticed', () => {
  const own = '<head><script>alert(1)</script></head>';
  const added =
    '<head><script type="module">import "/x.js"</script><script>alert(1)</script></head>';

  expect(compareInlineScripts(own, added)).toEqual({
    added: ['sha256-ZgW18qg6SfnFrB5iIB79LeGezO9OsNnmT4V5tR3Cb3s='],
    hasOwn: true,
  });
});

test('files and data are no inline scripts', () => {
  const html =
    '<script src="a.js"></script><script type="application/json">{}</script><script>\n</script>';

  expect(compareInlineScripts(html, html)).toEqual({ added: [], hasOwn: false });
});
