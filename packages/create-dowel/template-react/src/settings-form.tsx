import { useSave } from '@dowel/adapter/react';
import { useState } from 'react';
import type { Settings } from '../server/settings.ts';
import type { Texts } from './texts.ts';

/** The settings of one widget. The platform shows the button that saves them. */
export function SettingsForm({
  settings,
  texts,
}: {
  settings: Partial<Settings> | undefined;
  texts: Texts;
}) {
  const [question, setQuestion] = useState(settings?.question ?? '');
  useSave<Settings>(() => ({ question }));
  return (
    <label>
      {texts.questionLabel}{' '}
      <input
        maxLength={100}
        placeholder={texts.question}
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
      />
    </label>
  );
}
