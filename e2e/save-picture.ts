import { join } from 'node:path';
import type { Page } from '@playwright/test';

/** Where pictures for the documents are saved. Undefined: none are wanted. */
export const picturesFolder = process.env.DOWEL_PICTURES;

export async function savePicture(page: Page, name: string): Promise<void> {
  if (!picturesFolder) return;
  await page.screenshot({ path: join(picturesFolder, `${name}.png`), animations: 'disabled' });
}
