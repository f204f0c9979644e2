/** Changes installations, as a second process of the back end would. */
import { openExistingStore, readStoreSettings, type Store } from '@dowel/installation-store';
import { answerParent } from './tokens-ipc.ts';

export interface WriterCommands {
  open(folder: string): Promise<void>;
  /** Changes one of `ids` after the other, so often a second, until the next call. 0: none. */
  change(ids: readonly string[], perSecond: number): void;
}

let store: Store;
let timer: NodeJS.Timeout | undefined;

answerParent<WriterCommands>({
  async open(folder) {
    store = await openExistingStore(readStoreSettings({ DOWEL_DATA_DIR: folder }));
  },

  change(ids, perSecond) {
    clearInterval(timer);
    let count = 0;
    if (perSecond === 0) return;
    timer = setInterval(() => {
      const id = ids[count % ids.length] ?? '';
      void changeOne(id, count).catch(() => {});
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
