/** For tests that nothing shows a stored secret. */
import type { Store } from '@dowel/installation-store';

/**
 * The secrets that are stored of an installation.
 *
 * @throws Error if one of them is missing: a test that looks for nothing would pass.
 */
export async function revealedSecrets(store: Store, installationId: string): Promise<string[]> {
  const grant = await store.grants.load(installationId);
  const secrets = [
    grant?.accessToken,
    grant?.refreshToken,
    grant?.clientSecret,
    grant?.trigger?.body,
  ];
  return secrets.map((secret) => {
    if (!secret) throw new Error(`A secret of the installation "${installationId}" is missing`);
    return secret.reveal();
  });
}
