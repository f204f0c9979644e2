import { z } from 'zod';

/** Text for one line: with a control character it could look like another line, or move a terminal's cursor. */
export const plainText = (max: number) =>
  z.string().trim().max(max).refine(hasNoControl, { error: 'must not hold control characters' });

/** Text of several lines. */
export const plainLines = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => hasNoControl(text.replaceAll(/[\r\n\t]/g, '')), {
      error: 'must not hold control characters other than line breaks',
    });

/** PostgreSQL refuses a text with a NUL, which SQLite takes. So no request may hold one where a store reads the text. */
export const withoutNul = (text: z.ZodString) =>
  text.refine((value) => !value.includes('\0'), { error: 'must not hold a NUL' });

/** Replaces each control character by a space, for texts that are kept as they came and shown in one line. */
export function withoutControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

function hasNoControl(text: string): boolean {
  return text === withoutControls(text);
}
