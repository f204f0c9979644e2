import type { InitContext } from '@dowel/adapter';
import type { Texts } from './texts.ts';

/** Greets the user by verified claims only. */
export function Greeting({ user, texts }: { user: InitContext; texts: Texts }) {
  const name = user.userName || user.userEmail;
  return (
    <header>
      <span className="avatar" aria-hidden="true">
        {initials(name ?? '')}
      </span>
      <div>
        <h1>{name ? texts.greeting(name) : texts.stranger}</h1>
        {user.userName && user.userEmail && <p className="hint">{user.userEmail}</p>}
      </div>
    </header>
  );
}

/** The first letters of the first and the last word. */
function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => Array.from(word ?? '')[0]?.toUpperCase()).join('');
}
