import { z } from 'zod';

/** Language → text. */
export const translations = z.record(z.string(), z.string().min(1)).meta({
  description: 'Texts by language.',
  examples: [{ en: 'Lunch menu', de: 'Speiseplan' }],
});
