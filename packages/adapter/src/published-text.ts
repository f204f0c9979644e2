import { type PluginErrorCode, specifiedTexts } from './plugin-error.ts';

const insecure = 'Insecure plug-in communication';
const invalid = specifiedTexts.ERR2;

/** The texts of the platform's published client for ERR0 to ERR8 (spec §7). */
export const publishedTexts: { readonly [Code in PluginErrorCode]?: string | undefined } = {
  ...specifiedTexts,
  ERR0: insecure,
  ERR1: insecure,
  ERR3: invalid,
  ERR4: invalid,
  ERR5: invalid,
  ERR7: insecure,
  ERR8: insecure,
};
