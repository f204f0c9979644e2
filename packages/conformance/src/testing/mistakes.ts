/**
 * What a line of the plain back end does wrong, and what must find it: the check of the same name, and no other one,
 * unless the mistake says otherwise.
 */

interface Mistake {
  /** What the back end does. */
  does: string;
  /** The checks that find it. */
  finds: readonly string[];
  /** Checks that cannot judge such a back end. `others`: all that have not found it. */
  blocks: readonly string[] | 'others';
  /** The option `call` is needed. */
  call: boolean;
  /** The doctor must start it, with the option `call`. */
  start: boolean;
  /** The option `slow` is needed. */
  slow: boolean;
  /** The option `browser` is needed. */
  browser: boolean;
}

type Row = Pick<Mistake, 'does'> & Partial<Mistake>;

const rows = {
  'manifest.valid': { does: 'names an address in its manifest that is no URL', blocks: 'others' },
  'manifest.lint': { does: 'misspells a member of its manifest' },
  'page.framing': { does: 'forbids frames for its page' },
  'page.moduleCors': { does: 'sends its modules to its own origin only' },
  'page.init': { does: 'says init with its own name as `iss`', browser: true },
  'reception.form': { does: 'answers events with 200' },
  'reception.json': { does: 'reads forms only' },
  'reception.instances': { does: 'knows no `instance_add`' },
  'reception.unknownClaims': { does: 'refuses a `client` with an unknown member' },
  'reception.noJti': { does: 'requires `jti`' },
  'reception.joinedUrls': { does: 'keeps the slash at the end of `base_url`' },
  'reception.refusalsAreJson': { does: 'sends refusals as `text/plain`' },
  'reception.garbage': { does: 'answers 201 when there is no token' },
  'refuse.tampered': { does: 'opens the signature, and does not compare what is in it' },
  'refuse.foreignKey': {
    does: 'believes a signature that the key cannot open',
    blocks: ['refuse.twoTokens'],
  },
  'refuse.unsigned': { does: 'accepts `alg: none`' },
  'refuse.hmacPem': { does: 'lets the token choose HS256, with the PEM as secret' },
  'refuse.hmacDocument': { does: 'lets the token choose HS512, with the key document as secret' },
  'refuse.embeddedKey': { does: 'verifies with the key of the header' },
  'refuse.certificateClaim': { does: 'verifies with the key of the claim `certificate`' },
  'refuse.jkuForeign': { does: 'compares the path of `jku`, and not its host' },
  'refuse.jkuQuery': { does: 'looks for the trusted origin in the query of `jku`' },
  'refuse.jkuPath': { does: 'looks for the trusted origin in the path of `jku`' },
  'refuse.jkuFragment': { does: 'looks for the trusted origin in the fragment of `jku`' },
  'refuse.jkuUserInfo': { does: 'takes what stands before an `@` for the host of `jku`' },
  substring: {
    does: 'looks for the trusted origin anywhere in `jku`',
    finds: ['refuse.jkuQuery', 'refuse.jkuPath', 'refuse.jkuFragment', 'refuse.jkuUserInfo'],
  },
  'refuse.jkuRedirect': { does: 'follows redirects of the key host' },
  'refuse.expired': { does: 'does not compare `exp` with its clock' },
  'refuse.noExp': { does: 'does not require `exp`' },
  'refuse.future': { does: 'does not compare `iat` with its clock' },
  'refuse.crit': { does: 'ignores `crit`' },
  'refuse.kindOfEvent': { does: 'accepts an install event at every address' },
  'refuse.twoTokens': { does: 'verifies the first token of a form, and reads the last' },
  'refuse.pageTokenAsUninstall': { does: 'accepts the JWT of a page as an event' },
  'key.rotated': { does: 'keeps one key for each host', blocks: ['key.downThenUp'] },
  'key.downThenUp': { does: 'never again loads a key that could not be loaded once' },
  'exchange.query': { does: 'sends the parameters in a form' },
  'exchange.basic': { does: 'form-encodes the secret before base64' },
  latin1: { does: 'encodes id and secret as Latin-1', finds: ['exchange.basic'] },
  'exchange.secretPlace': { does: 'sends the secret in the query, too' },
  'exchange.hangs': { does: 'sets no limit to a token request', slow: true },
  'answer.afterExchange': {
    does: 'answers 201 while the exchange is running',
    finds: [
      'answer.afterExchange',
      'answer.refused',
      'answer.unavailable',
      'answer.notJson',
      'answer.noAccessToken',
      'answer.lost',
      'answer.wrongTenant',
    ],
    blocks: ['install.again'],
  },
  'answer.refused': { does: 'answers 201 after a 400', blocks: ['install.again'] },
  'answer.unavailable': { does: 'answers 201 after a 503' },
  'answer.notJson': { does: 'answers 201 after an HTML page' },
  'answer.noAccessToken': { does: 'does not look for `access_token`' },
  'answer.lost': { does: 'answers 201 when no token answer comes' },
  'answer.wrongTenant': { does: 'does not compare `tenant`' },
  'answer.noRefreshToken': { does: 'requires `refresh_token`' },
  'answer.bearerCase': { does: 'compares `token_type` with `bearer`, letter by letter' },
  'answer.unknownMembers': { does: 'refuses a token answer with an unknown member' },
  'install.again': { does: 'never again accepts an installation that ended without tokens' },
  'slow uninstall': {
    does: 'refuses what is signed in the minute after an uninstall',
    finds: ['install.again'],
  },
  'update.addsAccess': {
    does: 'closes an installation that has a widget before it has tokens',
  },
  'repeat.inTurn': { does: 'recognizes a repeated event by `jti`, not by its code' },
  'repeat.atOnce': { does: 'does not handle access_token events one after the other' },
  'limited repetitions': {
    does: 'answers 429 to a repeated event',
    finds: [],
    call: true,
    blocks: ['repeat.inTurn', 'repeat.atOnce', 'repeat.keepsTokens'],
  },
  'failing uninstall': {
    does: 'fails when an installation with tokens is uninstalled',
    finds: ['repeat.uninstall'],
    blocks: ['event.lateCopy'],
  },
  'repeat.uninstall': { does: 'fails when an uninstalled installation is uninstalled again' },
  'unasked.exchanged': {
    does: 'ignores access_token while it has tokens',
    blocks: ['reception.joinedUrls', 'repeat.inTurn', 'repeat.atOnce'],
  },
  'event.lateCopy': { does: 'accepts access_token after an uninstall' },
  'call.bearer': { does: 'stores the first tokens 0.4 s after its 201', call: true },
  'call.calm': {
    does: 'refreshes before each call',
    call: true,
    blocks: [
      'refresh.expired',
      'refresh.singleFlight',
      'refresh.lateAnswer',
      'refresh.noLoop',
      'refresh.not403',
      'trigger.single',
    ],
  },
  'unasked.used': { does: 'keeps the access token that it has, and not the new one', call: true },
  'repeat.keepsTokens': { does: 'stores a repeated event without its tokens', call: true },
  'refresh.expired': {
    does: 'does nothing after a 401 while it has a refresh token',
    call: true,
    blocks: [
      'refresh.basic',
      'refresh.singleFlight',
      'refresh.lateAnswer',
      'refresh.rotation',
      'refresh.omitted',
      'refresh.lost',
      'refresh.unavailable',
      'refresh.longLife',
      'trigger.deadRefreshToken',
      'trigger.wire',
      'trigger.single',
    ],
  },
  'triggers only': {
    does: 'sends a trigger in place of each refresh',
    finds: ['refresh.expired'],
    call: true,
    blocks: [
      'refresh.basic',
      'refresh.singleFlight',
      'refresh.lateAnswer',
      'refresh.rotation',
      'refresh.omitted',
      'refresh.lost',
      'refresh.unavailable',
      'refresh.longLife',
    ],
  },
  'refresh.basic': { does: 'sends the secret in the query of a refresh, too', call: true },
  'refresh.singleFlight': { does: 'lets each call refresh for itself', call: true },
  'refresh.lateAnswer': {
    does: 'does not look whether the refused token is the current one',
    call: true,
  },
  'refresh.rotation': { does: 'keeps the first refresh token', call: true },
  'refresh.omitted': { does: 'forgets the refresh token when an answer has none', call: true },
  'refresh.lost': { does: 'never stops waiting when a refresh answer is lost', call: true },
  'refresh.unavailable': { does: 'forgets its tokens after a 503', call: true },
  'refresh.noLoop': { does: 'renews for one call up to ten times', call: true },
  'refresh.not403': { does: 'renews after each error of the API', call: true },
  'refresh.longLife': { does: 'sets a timer of ten years, which Node ends at once', call: true },
  'trigger.deadRefreshToken': {
    does: 'sends no trigger after a refused refresh',
    call: true,
    blocks: ['trigger.wire', 'trigger.single'],
  },
  'trigger.noRefreshToken': { does: 'sends no trigger without a refresh token', call: true },
  'trigger.wire': { does: 'adds a space to the body of the trigger', call: true },
  'trigger.single': { does: 'lets each call send its own trigger', call: true },
  'tenants.apart': { does: 'stores tokens by plug-in id only', call: true },
  'uninstall.silence': {
    does: 'keeps its tokens after an uninstall',
    call: true,
    finds: ['uninstall.silence', 'uninstall.racingExchange'],
  },
  'uninstall.again': { does: 'does not exchange the code of a second installation', call: true },
  'uninstall.forged': { does: 'believes an uninstall with any signature', call: true },
  'uninstall.racingExchange': { does: 'lets an uninstall overtake an exchange', call: true },
  'restart.keepsTokens': { does: 'keeps its installations in memory only', start: true },
  'watch.secrets': { does: 'answers with the stored record' },
  'leaking headers': {
    does: 'names the authorization code in a header of its answer',
    finds: ['watch.secrets'],
  },
  'leaking calls': {
    does: 'answers calls with its stored records',
    finds: ['watch.secrets'],
    call: true,
  },
  'watch.alive': {
    does: 'ends when a body is too large',
    finds: ['reception.garbage', 'watch.alive'],
    start: true,
  },
  'watch.time': { does: 'takes 9 s for `instance_remove`' },
} as const satisfies Record<string, Row>;

export type MistakeName = keyof typeof rows;

/** By name. */
export const mistakes = new Map(
  Object.entries<Row>(rows).map(([name, { does, finds = [name], blocks = [], ...needs }]) => {
    const { call = false, start = false, slow = false, browser = false } = needs;
    const mistake: Mistake = { does, finds, blocks, call, start, slow, browser };
    return [name as MistakeName, mistake];
  }),
);
