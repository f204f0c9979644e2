/**
 * @slack/oauth: `authorize()` before each call, with its in-memory store. It detects expiry only by
 * the clock, refreshes two hours before, and leaves the call itself to the application. The
 * platform answers its token requests in Slack's dialect.
 */
import { InstallProvider, LogLevel, MemoryInstallationStore } from '@slack/oauth';
import { bareFetch, type CreateContender, finish } from './contender.ts';

const teamId = 'T0123456789';

export const createContender: CreateContender = async (setting) => {
  const { baseUrl, clientId, clientSecret, accessToken, refreshToken, expiresAt } = setting;
  const bot = {
    token: accessToken,
    refreshToken,
    expiresAt: Math.floor(expiresAt / 1000),
    scopes: ['chat:write'],
    id: 'B0123456789',
    userId: 'U0123456789',
  };
  const installationStore = new MemoryInstallationStore();
  await installationStore.storeInstallation({
    team: { id: teamId },
    enterprise: undefined,
    user: { id: 'U0123456789', token: undefined, scopes: undefined },
    bot,
    isEnterpriseInstall: false,
    authVersion: 'v2',
  });
  const installer = new InstallProvider({
    clientId,
    clientSecret,
    stateSecret: 'my-state-secret',
    installationStore,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: `${baseUrl}slack/` },
  });

  async function call(): Promise<number> {
    const { botToken = '' } = await installer.authorize({
      teamId,
      enterpriseId: undefined,
      isEnterpriseInstall: false,
    });
    const headers = { authorization: `Bearer ${botToken}` };
    return finish(await fetch(`${baseUrl}api`, { headers }));
  }

  return {
    call,
    bare: bareFetch(setting),
    expire: () => {
      bot.expiresAt = 0;
    },
  };
};
