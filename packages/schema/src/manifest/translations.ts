import { z } from 'zod';

/** Language → text. */
export function translations(description: string) {
  return z.record(z.string(), z.string().min(1)).meta({
    description: `${description} One text for each language.`,
    examples: [{ en: 'Lunch menu', de: 'Speiseplan' }],
  });
}
