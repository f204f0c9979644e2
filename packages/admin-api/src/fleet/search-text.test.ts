import { expect, test } from 'vitest';
import { findsBeginnings, foldSearch, foldText, searchedTexts } from './search-text.ts';

test('stored and typed texts get one spelling', () => {
  expect(foldText('STRASSE Ärger')).toBe('strasse ärger');
  expect(foldText('A\u0308rger')).toBe(foldText('Ärger'));
  expect(foldText('ΔΟΣ')).toBe(foldText('ΔΟΣΗ').slice(0, 3));
  expect(foldText('a\r\n\tb\0c')).toBe('a b c');
});

test('a pasted address is looked for without its scheme', () => {
  const text = foldSearch(' https://Acme.example.com '); // 'acme.example.com'

  expect(text).toBe('acme.example.com');
  expect(foldSearch('HTTPS://Acme.example.com/Path')).toBe('acme.example.com/path');
  expect(foldSearch('https://')).toBe('');
});

test('fewer than three letters find beginnings; an emoji is one letter', () => {
  expect(['', 'ab', 'ä1', '🦊🦊'].map(findsBeginnings)).toEqual([true, true, true, true]);
  expect(['abc', '🦊🦊🦊'].map(findsBeginnings)).toEqual([false, false]);
});

test('name, host and ids can be found, and the scheme cannot', () => {
  const texts = searchedTexts({
    name: 'Ä',
    issuer: 'https://acme.example.com',
    tenantId: 't',
    pluginId: 'P',
    id: 'i',
  });

  expect(texts).toEqual(['ä', 'acme.example.com', 't', 'i', 'p']);
});
