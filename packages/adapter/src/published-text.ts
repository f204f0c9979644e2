import type { PluginErrorCode } from './plugin-error.ts';

/** The texts of the platform's published client for ERR0 to ERR8 (spec §7); undefined for our own codes. */
export function publishedText(code: PluginErrorCode): string | undefined {
  if (/^ERR[0178]$/.test(code)) return 'Insecure plug-in communication';
  if (/^ERR[2-5]$/.test(code)) return 'Invalid plug-in token';
  return code === 'ERR6' ? 'Initialization timed out' : undefined;
}
