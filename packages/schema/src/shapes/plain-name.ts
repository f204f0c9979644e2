/**
 * Which unknown names a shape shows. A name may itself be a secret, or the name of a person: in a map from users to
 * something, it is one in every JWT. So no count makes a name safe. A name is shown if it consists of the words below,
 * and only as a whole: nobody's text is revealed by words that stand here.
 */

const words = new Set(
  `access account action activity admin alg algorithm amr api app application apps arr at attributes aud audience auth
  authorization avatar azp base birth body browser button category cert certificate certificates challenge channel claims client code
  color company config configuration content context country cover coyo create created createdAt ctx cty currency custom
  data date default department description device digest direction display domain edit editing email enabled end
  endpoint entry environment error errors event events exchange exp expires expiry external family feature features
  file first flags form format frame from full gender given grant granted group groups haiilo hash header headers height
  home host html http https iat icon id identifier image in index info init installation instance internal ip is iss
  issued issuer jku json jti jwk jwks jwt key keys kid kind label lang language last layout length level lifecycle link
  list locale location login logo manager max media member message messages meta metadata method middle min mobile mode
  model modified name nbf new nickname nonce notification notifications notify number oauth object of old on open
  operation option options order org organization origin owner page parameters parent partner password path payload
  permission permissions phone picture place platform plugin plugins point policy port position post preferred profile
  properties provider public read realm recipient redirect ref reference refresh region request required resource
  response response result revoke role roles root save scope scopes secret secure security sender session settings
  short sid sign signature site size slug source space src state status stt style sub subdomain subject sys system tag
  tags target tenant tenants text theme time timestamp timezone title to token tokens trace trigger type typ types unique
  updated uri url urls user username users uuid valid value values version view visibility webhook website widget
  widgets width window write x5t zone zoneinfo`
    .split(/\s+/)
    .map((word) => word.toLowerCase()),
);

const identifier = /^[a-z][A-Za-z_.-]{0,39}$/;

/** Whether the name of a member, or a part of a path, consists of words that everybody may read. */
export function isPlainName(text: string): boolean {
  if (words.has(text)) return true;
  if (!identifier.test(text)) return false;
  const parts = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return parts.every((part) => words.has(part.toLowerCase()));
}
