/** What keeps tokens and secrets safe from a kill at the worst moment: faults K and P of docs/threats.md. */
import { type Control, controlsOf } from '../control.ts';

const crash = 'proof/crash';
const store = 'packages/installation-store/src';

export const controls: Control[] = [
  ...controlsOf(
    `${store}/stores/exchange-intent.ts`,
    [`${crash}/exchange.test.ts`],
    [['K4', 'await settleHealing(context, installation.id);']],
  ),
  ...controlsOf(
    `${store}/open-store.ts`,
    [`${crash}/uninstall.test.ts`],
    [
      [
        'K8',
        'may have left deleted values readable.\n    engine.erased();',
        'may still be readable.',
      ],
    ],
  ),
  ...controlsOf(
    'apps/bff/src/main.ts',
    [`${crash}/shutdown.test.ts`],
    [
      ['P1', "['SIGINT', 'SIGTERM', 'disconnect']", "['SIGINT', 'disconnect']"],
      ['P1', 'shutdownGraceMs = 12_000', 'shutdownGraceMs = 0'],
    ],
  ),
];
