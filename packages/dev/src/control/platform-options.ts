/** The options of `dowel send` and `dowel fault` that choose platform and tenant. */
import { type Addresses, findRunning } from '../state-folder.ts';

export const platformOptions = {
  platform: { type: 'string' },
  tenant: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const platformUsage = `  --tenant ID         the tenant. Default: the first one
  --platform URL      the platform. Default: that of the dowel dev in this folder`;

export interface PlatformChoice {
  platformUrl: string | undefined;
  tenantId: string | undefined;
}

/** @throws TypeError for a mistake */
export function readPlatformChoice(values: {
  platform?: string | undefined;
  tenant?: string | undefined;
}): PlatformChoice {
  return { platformUrl: readOrigin(values.platform), tenantId: values.tenant };
}

function readOrigin(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new TypeError('--platform must be an http(s) URL, such as http://localhost:4300.');
}

/** @throws DevError when no platform is named and no `dowel dev` runs in the folder */
export async function findPlatform(
  root: string,
  { platformUrl }: PlatformChoice,
): Promise<Pick<Addresses, 'platformUrl'> & Partial<Addresses>> {
  return platformUrl === undefined ? findRunning(root) : { platformUrl };
}
