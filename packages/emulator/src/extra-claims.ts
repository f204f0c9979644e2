import type { Lab } from './control-api.ts';

/** Claims that no document names, if the tenant's platform sends such. */
export function extraClaims({ forms }: Lab): Record<string, unknown> {
  if (!forms.extraClaims) return {};
  return { edition: 'emulated', 'ctx.segment': 'emulated', features: { preview: true } };
}
