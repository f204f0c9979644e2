/**
 * Keeps zod from compiling parsers: the content security policy forbids eval, and the browser reports each attempt.
 * zod decides when a schema is created, so this is imported before every schema.
 */
import { config } from 'zod';

config({ jitless: true });
