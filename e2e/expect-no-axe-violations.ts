import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export async function expectNoAxeViolations(page: Page): Promise<void> {
  // The other mode also reads frames of other origins, and takes twice the time.
  const isAlone = page.frames().length === 1;
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(isAlone)
    .options({ resultTypes: ['violations'] })
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
}
