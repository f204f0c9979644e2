import { createNaiveAdapter } from '../naive-adapter.ts';
import { runPlugin } from './plugin.ts';

await runPlugin((options) => {
  const adapter = createNaiveAdapter(options);
  return {
    ...adapter,
    codeOf: (error) => /^ERR\d/.exec((error as Error).message)?.[0],
  };
});
