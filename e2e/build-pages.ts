/** Builds the pages once, before the tests: workers that build at the same time would read half-written files. */
import { runStep } from '../scripts/run-step.ts';

export default async function buildPages(): Promise<void> {
  const { code } = await runStep('turbo', ['run', 'build', '--output-logs=errors-only']);
  if (code !== 0) throw new Error('The pages cannot be built: see above');
}
