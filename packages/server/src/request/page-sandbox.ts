/**
 * The platform frames a plug-in's page with these flags, so its origin is opaque. The same flags are sent with each
 * document, so that its origin is opaque as well when a person opens it outside of a frame: otherwise its scripts could
 * use the dashboard's cookie. Row F29 of docs/threats.md.
 */
export const sandboxFlags = [
  'allow-scripts',
  'allow-forms',
  'allow-popups',
  'allow-downloads',
] as const;
