/** A page of its own around one plug-in: another origin, or one that attackers can reach by its frames. */
import { adapterName, caseId, currentCase } from './page-world.ts';
import { startHost } from './start-host.ts';

startHost(caseId, currentCase, adapterName);
