/**
 * Keeps zod from compiling parsers: the content security policy forbids eval. zod decides when a schema
 * is created, so this is in the chunk of zod (vite.config.ts), which every schema imports.
 */
import { config } from 'zod';

config({ jitless: true });
