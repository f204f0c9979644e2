/** Loaded before a program (`node --import`): takes a control out of the module that has it. No file is changed. */
import { registerHooks } from 'node:module';

interface Control {
  file: string;
  find: string;
  replace: string;
}

const { file, find, replace } = JSON.parse(process.env.DOWEL_WITHOUT_CONTROL ?? '') as Control;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${file}`) || !loaded.source) return loaded;
    const source = Buffer.from(loaded.source as string).toString();
    return { ...loaded, source: source.replace(find, () => replace) };
  },
});
