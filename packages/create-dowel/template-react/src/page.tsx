/** The page of the poll. It imports only the type of the back end's table. */
import type { Adapter } from '@dowel/adapter';
import { createClient } from '@dowel/adapter/client';
import { useAdapter, useAutoHeight, usePlugin } from '@dowel/adapter/react';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import type { operations } from '../server/operations.ts';
import type { Settings } from '../server/settings.ts';
import { SettingsForm } from './settings-form.tsx';
import { type Texts, textsFor } from './texts.ts';

/** The poll or its settings, shown after the handshake, when the user is known. */
export function Page() {
  const adapter = useAdapter();
  const plugin = usePlugin<Partial<Settings>>();
  const ref = useAutoHeight();
  const init = plugin.status === 'ready' ? plugin.value : undefined;
  const texts = textsFor(init?.claims.ctx.userLanguage ?? navigator.language);
  useEffect(() => {
    document.documentElement.lang = texts.language;
  }, [texts]);
  return (
    <main ref={ref}>
      {plugin.status === 'loading' && <p role="status">{texts.loading}</p>}
      {plugin.status === 'failed' && <p role="alert">{plugin.error.message}</p>}
      {init?.view === 'main' && <Poll adapter={adapter} texts={texts} />}
      {init?.view === 'config' && <SettingsForm settings={init.config} texts={texts} />}
    </main>
  );
}

export function Poll({ adapter, texts }: { adapter: Pick<Adapter, 'fetch'>; texts: Texts }) {
  const client = useMemo(() => createClient<typeof operations>(adapter), [adapter]);
  const [first, setFirst] = useState({ userName: '', question: '', menu: '' });
  const [status, setStatus] = useState('');

  useEffect(() => {
    const stop = new AbortController();
    void client.open.safe({}, { signal: stop.signal }).then((result) => {
      if (result.ok) setFirst(result.value);
    });
    return () => stop.abort();
  }, [client]);

  async function vote(choice: 'soup' | 'salad'): Promise<void> {
    const result = await client.vote.safe({ choice });
    if (result.ok) setStatus(texts.results(result.value.soup, result.value.salad));
    else if (result.error.code === 'ALREADY_VOTED') setStatus(texts.alreadyVoted);
    else setStatus(texts.failed);
  }

  async function invite(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email'));
    const result = await client.invite.safe({ email });
    setStatus(result.ok ? texts.invited : texts.notInvited);
  }

  return (
    <>
      {first.userName && <p>{texts.hello(first.userName)}</p>}
      <h1>{first.question || texts.question}</h1>
      {first.menu && <p>{texts.menu(first.menu)}</p>}
      <button type="button" onClick={() => void vote('soup')}>
        {texts.soup}
      </button>
      <button type="button" onClick={() => void vote('salad')}>
        {texts.salad}
      </button>
      <p role="status">{status}</p>
      <form onSubmit={(event) => void invite(event)}>
        <label>
          {texts.colleague} <input name="email" type="email" required />
        </label>
        <button type="submit">{texts.invite}</button>
      </form>
    </>
  );
}
