import { useSave } from '@dowel/adapter/react';
import { useState } from 'react';
import { isEmail } from './is-email.ts';
import { maxIntroLength, type Settings } from './settings.ts';
import { TextField } from './text-field.tsx';
import type { Texts } from './texts.ts';

export interface SettingsFormProps {
  /** Undefined if the stored settings cannot be read. Saving then replaces them. */
  settings: Settings | undefined;
  texts: Texts;
}

type Phase = 'editing' | 'refused' | 'saved';

/** The config view. The platform's save button requests the settings; invalid settings are refused. */
export function SettingsForm({ settings, texts }: SettingsFormProps) {
  const [intro, setIntro] = useState(settings?.intro ?? '');
  const [email, setEmail] = useState(settings?.recipientEmail ?? '');
  const [phase, setPhase] = useState<Phase>('editing');
  const recipientEmail = email.trim();
  const problem = recipientEmail === '' || isEmail(email) ? undefined : texts.emailInvalid;

  useSave<Settings>(() => {
    setPhase(problem ? 'refused' : 'saved');
    if (problem) throw new TypeError(problem);
    return { intro: intro.trim(), recipientEmail };
  });

  function edit(change: (value: string) => void): (value: string) => void {
    return (value) => {
      setPhase('editing');
      change(value);
    };
  }

  return (
    <>
      <h1>{texts.settingsTitle}</h1>
      <TextField
        label={texts.introLabel}
        hint={texts.characters(intro.length, maxIntroLength)}
        isMultiline
        name="intro"
        maxLength={maxIntroLength}
        placeholder={texts.introHint}
        value={intro}
        onValue={edit(setIntro)}
      />
      <TextField
        label={texts.recipientLabel}
        problem={phase === 'refused' ? problem : undefined}
        name="recipient"
        type="email"
        autoComplete="off"
        maxLength={320}
        placeholder={texts.recipientHint}
        value={email}
        onValue={edit(setEmail)}
      />
      <p role="status" className={phase === 'saved' ? 'success' : 'hint'}>
        {phase === 'editing' && texts.saveHint}
        {phase === 'refused' && texts.settingsNotSaved}
        {phase === 'saved' && texts.settingsSaved}
      </p>
    </>
  );
}
