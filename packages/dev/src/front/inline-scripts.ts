/** The inline scripts of a page: those that Vite adds may run, and no other. */
import { createHash } from 'node:crypto';

const script = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;
/** Other types are data. */
const executable =
  /\btype\s*=\s*["']?(?:module|importmap|text\/javascript|application\/javascript)\b/i;

export interface InlineScripts {
  /** Sources of a policy for the scripts that only the second text has. */
  added: string[];
  /** Whether the first text has some that the second one still has: production blocks them. */
  hasOwn: boolean;
}

/** Compares the author's HTML with what Vite made of it. */
export function compareInlineScripts(own: string, transformed: string): InlineScripts {
  const before = listInline(own);
  const after = listInline(transformed);
  return {
    added: after.filter((text) => !before.includes(text)).map(hashOf),
    hasOwn: after.some((text) => before.includes(text)),
  };
}

function listInline(html: string): string[] {
  return [...html.matchAll(script)]
    .filter(([, attributes = '', text = '']) => isInline(attributes) && text.trim() !== '')
    .map(([, , text = '']) => text);
}

function isInline(attributes: string): boolean {
  if (/\bsrc\s*=/i.test(attributes)) return false;
  return !/\btype\s*=/i.test(attributes) || executable.test(attributes);
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
