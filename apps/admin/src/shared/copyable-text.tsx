import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './copyable-text.module.css';

/** @param name of the copied value, for the button's name. */
export function CopyableText({ name, text }: { name: string; text: string }) {
  const { t } = useTranslation();
  const { copy, copied, error } = useClipboard({ timeout: 1_500 });
  const place = useRef<HTMLSpanElement>(null);

  // Browsers copy on pages of https and of this machine only.
  useEffect(() => {
    if (error && place.current) window.getSelection()?.selectAllChildren(place.current);
  }, [error]);

  return (
    <div className={classes.copyable}>
      <span ref={place} className={`mono ${classes.text}`} title={text}>
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
      {error ? (
        <span role="alert" className="dimmed">
          {t('identity.notCopied')}
        </span>
      ) : null}
    </div>
  );
}
