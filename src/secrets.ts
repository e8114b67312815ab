/**
 * Takes what looks like a secret out of a text that is stored or shown: keys, tokens, the user and password of an address.
 * A guess by shape, for what a server echoes; no text is safe because it passed here.
 */

/** Where a word begins, also after the `\n` of a text inside a text. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;
const SHAPES = [
  String.raw`${START}(?:sk|pk|rk)-[-\w.*]{6,}`,
  // Names in code have such beginnings too, hence a digit or what a server wrote in its place, and the length.
  String.raw`${START}(?:sk|pk|rk|ak|gsk|xai|hf|key|nvapi|gh[a-z]|github_pat|glpat|xox[a-z])[-_](?=[-\w.*]{0,100}[\d*])[-\w.*]{14,}`,
  String.raw`${START}(?:AKIA|ASIA|AIza)[-\w*]{8,}`,
  // A JSON Web Token.
  String.raw`${START}eyJ[-\w]{8,}(?:\.[-\w]+){0,2}`,
  // A header, as it stands in one or in a text; a person who writes of a bearer token names no secret.
  String.raw`\b(?:Bearer|Basic|bearer|basic|BEARER|BASIC)\s+(?=[^\s,]{0,100}[\d.=][^\s,])(?!realm=)[^\s,]{8,}`,
  String.raw`\bBearer\s+(?!realm=|tokens?\b|auth)[^\s,]{6,}`,
  String.raw`(?<=\b(?:api[-_]?key|token|secret|password)["']?\s{0,3}[=:]\s{0,3}["']?)(?=[^\s"'&,]{0,100}\d)[^\s"'&,]{8,}`,
  // The user and password of an address.
  String.raw`(?<=:\/\/)[^\s/?#]+@`,
];
const SECRETS = new RegExp(SHAPES.join("|"), "g");

/** @param known secrets that are known by their text; shorter than 4 characters they are no secrets */
export function hideSecrets(text: string, known: readonly (string | undefined)[] = []): string {
  const kept = known.reduce<string>((left, secret) => {
    return secret !== undefined && secret.length > 3 ? left.replaceAll(secret, "[secret]") : left;
  }, text);
  return kept.replace(SECRETS, "[secret]");
}
