import { expect, it } from 'vitest';
import { lazyPage } from './lazy-page.tsx';

it('a page whose code could not be loaded is loaded with the next try, and then kept', async () => {
  let loads = 0;
  const Page = () => null;
  const page = lazyPage(async () => {
    loads += 1;
    if (loads === 1) throw new TypeError('Failed to fetch dynamically imported module');
    return { Page };
  }, 'Page');

  await expect(page.loader()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await page.loader();
  await page.loader();

  expect(loads).toBe(2);
  expect(page.component()?.type).toBe(Page);
});
