import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useTranslation } from 'react-i18next';
import classes from './copyable-text.module.css';

/** @param name of the copied value, for the button's name. */
export function CopyableText({ name, text }: { name: string; text: string }) {
  const { t } = useTranslation();
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <div className={classes.copyable}>
      <span className={`mono ${classes.text}`} title={text}>
        {text}
      </span>
      <ActionIcon
        variant="subtle"
        size="xs"
        aria-label={t(copied ? 'identity.copied' : 'identity.copy', { name })}
        onClick={() => copy(text)}
      >
        {copied ? <Check size={13} aria-hidden="true" /> : <Copy size={13} aria-hidden="true" />}
      </ActionIcon>
    </div>
  );
}
