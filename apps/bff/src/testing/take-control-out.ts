/** Loaded before a program (`node --import`): takes a control out of the module that has it. No file is changed. */
import { registerHooks } from 'node:module';

interface Control {
  file: string;
  id: string;
  broken: string;
}

const { file, id, broken } = JSON.parse(process.env.DOWEL_WITHOUT_CONTROL ?? '') as Control;
/** As in proof/controls/controls.ts. */
const line = new RegExp(`// control ${id}\\n.*`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${file}`) || !loaded.source) return loaded;
    const source = Buffer.from(loaded.source as string).toString();
    return { ...loaded, source: source.replace(line, () => broken) };
  },
});
