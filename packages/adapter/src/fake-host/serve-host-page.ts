/** `pnpm --filter @dowel/adapter host -- <address of a plug-in>`: shows its page in a fake host. */
import { startHostPage } from './start-host-page.ts';

const plugin = process.argv.slice(2).find((argument) => argument !== '--');
const { origin } = await startHostPage(Number(process.env.PORT || 4700));
const url = new URL(origin);
if (plugin) url.searchParams.set('plugin', new URL(plugin).href);
process.stdout.write(`The plug-in in a fake host: ${url}\n`);
