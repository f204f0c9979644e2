import { allCases } from '../cases/all-cases.ts';
import type { Case } from '../cases/case.ts';
import type { AdapterName, World } from '../world.ts';

const query = new URLSearchParams(location.search);

/** Read from a data block of the page, because a policy may forbid every request. */
export const world = JSON.parse(document.getElementById('world')?.textContent ?? '{}') as World;
export const adapterName = query.get('adapter') as AdapterName;
/** Names this run of a case; an adapter sees it as the id of its widget. */
export const caseId = (query.get('case') ?? query.get('src') ?? '') as string;
export const currentCase = allCases[Number(caseId)] as Case;
