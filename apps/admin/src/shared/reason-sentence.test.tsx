import { explainReason, reasonGroups } from '@dowel/schema';
import { cleanup, render } from '@testing-library/react';
import { I18nextProvider } from 'react-i18next';
import { afterEach, expect, it } from 'vitest';
import { i18nOf } from '../testing/i18n-of.ts';
import { ReasonSentence } from './reason-sentence.tsx';

afterEach(cleanup);

function show(reason: string, language: 'en' | 'de' = 'en') {
  const { container } = render(
    <I18nextProvider i18n={i18nOf(language)}>
      <ReasonSentence reason={reason} />
    </I18nextProvider>,
  );
  return container.textContent;
}

const words = Object.values(reasonGroups).flatMap((group) => Object.keys(group));

it.each([...words, 'token_endpoint_answered_503', 'trigger_answered_404'])(
  '%s is what docs/errors.md says, and is translated',
  (reason) => {
    const english = explainReason(reason)?.sentence;
    expect(show(reason)).toBe(`${english} ${reason}`);
    expect(show(reason, 'de')).toMatch(
      new RegExp(`^(?:beforeInstall|[A-ZÄÖÜ])[^{}]+\\. ${reason}$`),
    );
    expect(show(reason, 'de')).not.toContain(english);
  },
);

it.each(['of_a_newer_version', 'constructor', 'trigger_answered_', 'server_error.length'])(
  'a word that is not known is shown as it is: %s',
  (reason) => {
    expect(show(reason)).toBe(reason);
  },
);
