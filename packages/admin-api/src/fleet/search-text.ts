/**
 * Defines what the search field of the installations' list finds, and in which texts. Server and page use these
 * rules.
 */
import { hostOf } from '@dowel/schema';

/** What an operator knows about an installation. */
interface Searched {
  name: string;
  issuer: string;
  tenantId: string;
  pluginId: string;
  id: string;
}

/** A shorter text is in nearly every id, and is looked for at the beginnings only. */
const shortestPart = 3;

/** One spelling of stored and typed text. The Greek final sigma depends on the letter after it. PostgreSQL has no NUL. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ς', 'σ')
    .replace(/[\s\0]+/g, ' ');
}

/**
 * The typed text as it is looked for; '' finds everything. The scheme of a pasted address is left out.
 *
 * @example
 * const text = foldSearch(' https://Acme.example.com '); // 'acme.example.com'
 */
export function foldSearch(text: string): string {
  return foldText(text.trim()).replace(/^https?:\/\//, '');
}

/** The texts that a search can find, each folded: name, host, tenant's id, own id, plug-in's id. */
export function searchedTexts({ name, issuer, tenantId, pluginId, id }: Searched): string[] {
  return [name, hostOf(issuer), tenantId, id, pluginId].map(foldText);
}

/** Whether only what begins with the folded text is found. One emoji is one letter. */
export function findsBeginnings(folded: string): boolean {
  return Array.from(folded).length < shortestPart;
}
