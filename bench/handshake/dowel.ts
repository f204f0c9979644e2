import { createAdapter, trustIssuers } from '@dowel/adapter';
import { type Contender, jtiOf } from './setting.ts';

export const dowel: Contender = ({ srcId, hostOrigin, keyDelivery, keyDocument, keyOrigin }) => {
  const adapter = createAdapter({
    srcId,
    parentOrigin: hostOrigin,
    jkuOrigins: [keyOrigin],
    issuers:
      keyDelivery === 'pinned'
        ? trustIssuers([{ issuer: hostOrigin, keys: [keyDocument] }])
        : undefined,
  });
  let isCold = true;
  return async () => {
    const minValidityMs = isCold ? 0 : Number.POSITIVE_INFINITY;
    isCold = false;
    return jtiOf(await adapter.getToken({ minValidityMs }));
  };
};
