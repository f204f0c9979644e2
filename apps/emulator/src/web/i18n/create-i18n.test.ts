import { expect, test } from 'vitest';
import { createI18n } from './create-i18n.ts';

const { t } = createI18n('en');

test.each(['\u202elive', 'דוד', 'شركة'])(
  'the name %o does not turn the words around it',
  (name) => {
    expect(t('home.you', { name })).toBe(`\u2068${name}\u2069 (you)`);
  },
);

test('a name of other letters stays as it is, also with signs of HTML', () => {
  expect(t('home.you', { name: "Zoë <O'Neil> & 張" })).toBe("Zoë <O'Neil> & 張 (you)");
});
