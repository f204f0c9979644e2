/**
 * axios-auth-refresh: both interceptors of its README, over axios' `fetch` adapter. What a refresh is,
 * its README leaves to the application: this one keeps rotated tokens. By default it lets one refresh
 * run at a time; `deduplicateRefresh: false` is its other documented way.
 */
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { createAuthRefresh } from 'axios-auth-refresh';
import type { Contender, CreateContender, Setting } from './contender.ts';

export const createContender: CreateContender = (setting) => create(setting, true);
export const createWithoutDeduplication: CreateContender = (setting) => create(setting, false);

interface TokenAnswer {
  access_token: string;
  refresh_token?: string;
}

function create(setting: Setting, deduplicateRefresh: boolean): Contender {
  const { baseUrl, clientId: username, clientSecret: password } = setting;
  let { accessToken, refreshToken } = setting;
  const api = createInstance(setting, () => accessToken);
  const tokenApi = createInstance(setting);

  async function refreshAuthLogic(failed: { response: AxiosResponse }): Promise<void> {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const auth = { username, password };
    const { data } = await tokenApi.post<TokenAnswer>(`${baseUrl}token`, body, { auth });
    accessToken = data.access_token;
    refreshToken = data.refresh_token ?? refreshToken;
    failed.response.config.headers.set('Authorization', `Bearer ${accessToken}`);
  }
  // The same axios has two types: one for `import`, one for the `require` that the package uses.
  type Instance = Parameters<typeof createAuthRefresh>[0];
  createAuthRefresh(api as unknown as Instance, refreshAuthLogic, { deduplicateRefresh });

  const url = `${baseUrl}api`;
  const bareApi = createInstance(setting, () => setting.accessToken);
  return {
    call: async () => (await api.get(url)).status,
    bare: async () => (await bareApi.get(url)).status,
  };
}

function createInstance({ isStubbed }: Setting, getAccessToken?: () => string): AxiosInstance {
  const instance = isStubbed
    ? axios.create({
        adapter: async (config) => ({ data: '', status: 204, statusText: '', headers: {}, config }),
      })
    : axios.create({ adapter: 'fetch' });
  instance.interceptors.request.use((request) => {
    if (getAccessToken) request.headers.set('Authorization', `Bearer ${getAccessToken()}`);
    return request;
  });
  return instance;
}
