/** The page of the poll. It imports only the type of the back end's table. */
import type { Adapter } from '@dowel/adapter';
import { createClient } from '@dowel/adapter/client';
import { useAdapter, useAutoHeight, usePlugin } from '@dowel/adapter/react';
import { useMemo, useState } from 'react';
import type { operations } from './operations.ts';

/** The poll. It is shown after the handshake, when the user is known. */
export function Page() {
  const adapter = useAdapter();
  const plugin = usePlugin();
  const ref = useAutoHeight();
  return (
    <main ref={ref}>
      {plugin.status === 'loading' && <p role="status">One moment …</p>}
      {plugin.status === 'failed' && <p role="alert">{plugin.error.message}</p>}
      {plugin.status === 'ready' && <Poll adapter={adapter} />}
    </main>
  );
}

export function Poll({ adapter }: { adapter: Pick<Adapter, 'fetch'> }) {
  const client = useMemo(() => createClient<typeof operations>(adapter), [adapter]);
  const [status, setStatus] = useState('What is for lunch?');

  async function vote(choice: 'soup' | 'salad'): Promise<void> {
    const result = await client.vote.safe({ choice });
    if (result.ok) setStatus(`Soup ${result.value.soup}, salad ${result.value.salad}`);
    else if (result.error.code === 'ALREADY_VOTED') setStatus('You have voted already');
    else setStatus('Your vote did not arrive. Try again later.');
  }

  return (
    <>
      <p role="status">{status}</p>
      <button type="button" onClick={() => void vote('soup')}>
        Soup
      </button>
      <button type="button" onClick={() => void vote('salad')}>
        Salad
      </button>
    </>
  );
}
