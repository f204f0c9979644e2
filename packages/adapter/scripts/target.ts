/**
 * The oldest browsers that the adapter runs in, as README.md names them. The newest things that it needs
 * are `AbortSignal.any` (Chrome 116, Firefox 124, Safari 17.4) and `URL.canParse` (Chrome 120).
 */
export const target = ['chrome120', 'edge120', 'firefox124', 'safari17.4'];
