import { z } from 'zod';
import { manifestUrlPattern } from '../urls.ts';

/** Absolute, or relative to the manifest's own URL (Spec §2.1). */
export function manifestUrl(description: string, example: string) {
  return z
    .string()
    .min(1)
    .max(2048)
    .regex(manifestUrlPattern, 'This is neither an http(s) URL nor a relative one.')
    .meta({
      description: `${description} Absolute, or relative to the manifest's own URL.`,
      examples: [example],
    });
}
