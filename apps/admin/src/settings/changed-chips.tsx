import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import chips from '../shared/chips.module.css';

export interface ChangedChipsProps {
  all: number;
  changed: number;
  isChangedOnly: boolean;
  onChange: (isChangedOnly: boolean) => void;
}

/** Shows all settings, or only those that differ from their default. */
export function ChangedChips({ all, changed, isChangedOnly, onChange }: ChangedChipsProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const choices = [
    { name: t('settings.all'), count: all, isChosen: !isChangedOnly, value: false },
    { name: t('settings.changed'), count: changed, isChosen: isChangedOnly, value: true },
  ];
  return (
    <div className={chips.chips}>
      {choices.map(({ name, count, isChosen, value }) => (
        <button
          key={name}
          type="button"
          className={chips.chip}
          aria-current={isChosen ? 'true' : undefined}
          onClick={() => onChange(value)}
        >
          {name} <span className={chips.count}>{formats.count(count)}</span>
        </button>
      ))}
    </div>
  );
}
