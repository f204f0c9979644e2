import { useTranslation } from 'react-i18next';
import { CopyableText } from './copyable-text.tsx';

/** The words of a command of `dowel` (packages/cli), without the program's name and the reason. */
export type CommandWords = readonly [name: string, ...rest: readonly string[]];

/** The same action as a command for a shell of the server's machine. */
export function CommandLine({ words, reason }: { words: CommandWords; reason: string }) {
  const { t } = useTranslation();
  const name = t('action.command');
  const text = ['dowel', ...words, '--reason', reason.trim() || '…'].map(quoteWord).join(' ');
  return (
    <div>
      <p className="dimmed">{name}</p>
      <CopyableText name={name} text={text} />
    </div>
  );
}

/** As a POSIX shell reads it: nothing within single quotes has a meaning. */
function quoteWord(word: string): string {
  return /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
