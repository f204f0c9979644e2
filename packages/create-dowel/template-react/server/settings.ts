/** What an editor can set for a widget. */
import { z } from 'zod';

export const settingsSchema = z.object({ question: z.string().max(100).default('') });

export type Settings = z.infer<typeof settingsSchema>;
