/**
 * Takes what looks like a secret out of a text that is stored or shown: keys, tokens, the user and password of an address.
 * A guess by shape, for what a server echoes; no text is safe because it passed here.
 */

const KEY = String.raw`\b(?:sk|pk|rk|ak|gsk|xai|hf|gh[a-z]|github_pat|key)(?:[-_]|(?=\w*\d))[-\w*.]{6,}`;
const CLOUD_KEY = String.raw`\b(?:AKIA|AIza)[-\w*]{8,}`;
const LOGIN = String.raw`(?<=:\/\/)[^\s/@]+@`;
const SECRETS = new RegExp([KEY, CLOUD_KEY, LOGIN].join("|"), "gi");
/** As a header has it: a person writes of a bearer token in small letters. */
const TOKEN = /\bBearer\s+[^\s,]+/g;

/** @param known secrets that are known by their text; shorter than 4 characters they are no secrets */
export function hideSecrets(text: string, known: readonly (string | undefined)[] = []): string {
  const kept = known.reduce<string>((left, secret) => {
    return secret !== undefined && secret.length > 3 ? left.replaceAll(secret, "[secret]") : left;
  }, text);
  return kept.replace(TOKEN, "[secret]").replace(SECRETS, "[secret]");
}
