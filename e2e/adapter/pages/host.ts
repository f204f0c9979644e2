/** The host's page around one plug-in, for cases with another origin or with attackers in frames. */
import { adapterName, caseId, currentCase } from './page-world.ts';
import { startHost } from './start-host.ts';

startHost(caseId, currentCase, adapterName);
