/** Wire shapes of platform and BFF as zod schemas with inferred types. No I/O. */
export * from './admin-api.ts';
export * from './init-claims.ts';
export * from './key-document.ts';
export * from './lifecycle-events.ts';
export * from './manifest.ts';
export * from './platform-profile.ts';
export * from './plugin-api.ts';
export * from './secret.ts';
export * from './token-response.ts';
export * from './urls.ts';
