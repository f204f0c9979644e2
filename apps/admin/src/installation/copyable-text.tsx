import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import classes from './copyable-text.module.css';

/** @param name of the copied value, for the button's name: `Copy tenant id`. */
export function CopyableText({ name, text }: { name: string; text: string }) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <div className={classes.copyable}>
      <span className="mono breakable">{text}</span>
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label={copied ? `Copied ${name}` : `Copy ${name}`}
        onClick={() => copy(text)}
      >
        {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      </ActionIcon>
    </div>
  );
}
