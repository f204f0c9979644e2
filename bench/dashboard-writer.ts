/** Changes installations like a second process of the back end. */
import { openExistingStore, type Store } from '@dowel/installation-store';
import { readStoreSettings } from '@dowel/server/settings';
import { answerParent } from './child-process.ts';

export interface WriterCommands {
  open(folder: string): Promise<void>;
  /** Changes one installation after the other, so often a second, until the next call. 0: none. */
  change(targets: Targets, perSecond: number): void;
}

export interface Targets {
  ids: readonly string[];
  /** Those that wait for an event. Every other change is a further request for one. */
  awaiting: readonly string[];
}

let store: Store;
let timer: NodeJS.Timeout | undefined;

answerParent<WriterCommands>({
  async open(folder) {
    store = await openExistingStore(readStoreSettings({ DOWEL_DATA_DIR: folder }));
  },

  change({ ids, awaiting }, perSecond) {
    clearInterval(timer);
    let count = 0;
    if (perSecond === 0) return;
    timer = setInterval(() => {
      const turn = Math.floor(count / 2);
      const change = count % 2 === 0 ? changeOne : askAgain;
      const of = count % 2 === 0 ? ids : awaiting;
      void change(of[turn % of.length] ?? '', turn).catch(() => {});
      count += 1;
    }, 1_000 / perSecond);
  },
});

/** One of five moves the installation to another state, and the counts with it. The others leave it healthy. */
function changeOne(id: string, count: number): Promise<boolean> {
  return store.transaction(({ operators }) => {
    if (count % 5 !== 0) return operators.describe(id, { notes: `${count}` });
    if (count % 2 === 0) return operators.pause(id, { by: 'bench', reason: 'bench' });
    return operators.resume(id);
  });
}

/** Changes a row like in an outage: the number of requests and the next time change, the state does not. */
function askAgain(installationId: string, count: number): Promise<boolean> {
  const version = { installationId, generation: 1, tokenVersion: 1 };
  return store.transaction(async ({ operators, renewals }) => {
    await renewals.claimTrigger(version, () => 60_000, 0);
    return operators.describe(installationId, { notes: `${count}` });
  });
}
