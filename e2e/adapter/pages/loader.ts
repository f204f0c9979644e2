/** Starts the plug-in once the adapter's file, which a tag names with its hash, has loaded. */
import { adapterName } from './page-world.ts';
import { sendReport } from './plugin.ts';

const tag = document.getElementById('adapter');
tag?.addEventListener('load', () => void import(`./${adapterName}.js`));
tag?.addEventListener('error', () => {
  sendReport({ outcome: 'not loaded', elapsedMs: 0, limitMs: 1, problems: [] });
});
