import { TextInput } from '@mantine/core';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

export interface PluginFilterProps {
  /** Suggested: there may be more. */
  ids: readonly string[];
  /** '': any plug-in. */
  chosen: string;
  choose: (changed: { plugin: string }) => void;
}

/** Takes any id. A suggested one counts at once, a typed one after Enter. */
export function PluginFilter({ ids, chosen, choose }: PluginFilterProps) {
  const { t } = useTranslation();
  const listId = useId();
  const [text, setText] = useState(chosen);
  useEffect(() => setText(chosen), [chosen]);
  const take = (plugin: string) => {
    if (plugin !== chosen) choose({ plugin });
  };

  return (
    <>
      <TextInput
        size="xs"
        w={210}
        aria-label={t('list.byPlugin')}
        placeholder={t('list.anyPlugin')}
        title={t('list.pluginHint', { shown: ids.length })}
        list={listId}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          if (value === '' || ids.includes(value)) take(value);
        }}
        onBlur={() => take(text.trim())}
        onKeyDown={({ key }) => {
          if (key === 'Enter') take(text.trim());
        }}
      />
      <datalist id={listId}>
        {ids.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}
