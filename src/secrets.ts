/**
 * Takes what looks like a secret out of a text that is stored or shown: keys, tokens, the user and password of an address.
 * A guess by shape, for what a server echoes; no text is safe because it passed here.
 * Whatever looks on from a place is bounded, so that no text takes longer than its length: keep it so.
 */

/** Where a word begins, also after the `\n` of a text inside a text. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;
/** What keys are made of, and what servers write in place of a part of one. */
const IN_KEY = String.raw`[-\w.*…•]`;
/** Hugging Face, npm, Perplexity, xAI, Replicate, Cerebras, and what many call their keys. */
const ALSO_IN_NAMES = "(?:key|ak|[spr]k|gh[a-z]|hf|npm|pplx|xai|r8|csk)";
/** A word in a name: a short one, or some that are told apart by big letters. */
const WORD = "(?:[A-Za-z]{1,16}|(?=[A-Za-z]{17})[A-Za-z][a-z]{2,15}(?:[A-Z][a-z]{2,15}){1,4})(?![A-Za-z])";
/** A part of a name in code or of a model: a word with a number at either end, or a number as long as a date. */
const NAME_PART = String.raw`(?:\d{1,8}|\d{0,4}${WORD}\d{0,4})`;
const NAME = String.raw`(?:${NAME_PART}(?:[-_]{1,2}|\.)){0,11}${NAME_PART}[-_.]{0,3}(?!${IN_KEY})`;

const SPACE = String.raw`(?:\s+|%20|\+)`;
/** What people write after the name of a way to log in, and what a server asks for in its place. */
const NO_CREDENTIAL = String.raw`(?![<{[(]?(?:${[
  "tokens?|auth(?:entication|ori[sz]ation)?|credentials?|certificates?|challenges?|access|security|realm",
  "schemes?|formats?|headers?|prefix|strings?|values?|methods?|keywords?|functionality|understanding",
  "your[-_](?:api[-_])?(?:key|token)|YOUR[-_](?:API[-_])?(?:KEY|TOKEN)|TOKEN",
  "missing|required|expected|invalid|instead|cannot|should|without|before|because|followed|provided",
].join("|")})[^\w\s]{0,3}(?!\S)|realm=|\w{1,40}=["'])`;

/** Names that say that their value is a secret; whatever stands before them belongs to them. */
const NAMES = [
  "(?:api|access|secret|private|account|auth|signing|master|subscription)[-_ ]?key",
  "token|secret|password|passwd|passphrase|authorization",
].join("|");
/** From a name to its value: JSON, also inside a text of JSON, a header, a query, an environment; and OpenAI's words. */
const IS = String.raw`(?: provided)?\\{0,2}["']?\s{0,3}(?:[=:]|=>)\s{0,3}\\{0,2}["']?`;
const VALUE = String.raw`[^\s"'&,]`;

const anyCase = (shape: string): RegExp => new RegExp(shape, "gi");
const shaped = (shape: string): RegExp => new RegExp(START + shape, "g");

const SHAPES: readonly RegExp[] = [
  // OpenAI's keys and those of all who copied them, down to a few letters; scikit-learn is no key.
  shaped(String.raw`(?:sk|pk|rk)-(?!learn(?![A-Za-z]))${IN_KEY}{6,}`),
  // Beginnings that only keys have: GitHub, GitLab, Groq, Stripe, Slack, NVIDIA, Tavily, LangSmith.
  shaped(String.raw`(?:gh[opsur]_|github_pat_|glpat-|gsk_|[spr]k_live_|xox[a-z]-|nvapi-|tvly-|lsv2_)${IN_KEY}{8,}`),
  // Beginnings that names have too, hence the length, and no name.
  shaped(String.raw`${ALSO_IN_NAMES}[-_](?!${NAME})${IN_KEY}{14,}`),
  // The same with the middle taken out, which leaves them short.
  shaped(String.raw`${ALSO_IN_NAMES}[-_]\w{0,20}(?:\*\*|\.\.\.(?=\w)|[…•])${IN_KEY}+`),
  // Amazon's and Google's.
  shaped(String.raw`(?:(?:AKIA|ASIA)[A-Z\d*….]{8,}|AIza[-\w*….]{8,})`),
  // A JSON Web Token, also without its end: a word has no digit, no second part, and is shorter.
  shaped(String.raw`eyJ(?=[-\w]{0,100}(?:\d|\.\w)|[-\w]{20})[-\w]{8,}(?:\.[-\w]+){0,2}`),
  // A header, as it stands in one or in a text: after a big letter nearly any word, else what is no word of a person.
  shaped(String.raw`Bearer${SPACE}["']?${NO_CREDENTIAL}[^\s,"']{6,}`),
  shaped(
    String.raw`(?:bearer|BEARER)${SPACE}["']?${NO_CREDENTIAL}(?=[^\s,"']{0,100}[\d.=][^\s,"']|[^\s,"']{12})[^\s,"']{8,}`,
  ),
  // A user and password in base64: a big letter after another, and whole groups of four, a digit or its end.
  shaped(
    String.raw`(?:Basic|basic|BASIC)${SPACE}(?=[\w+/]{0,100}[a-z\d][A-Z])(?=(?:[\w+/]{4}){2,100}(?![\w+/.])|[\w+/]{0,100}\d[\w+/]|[\w+/]{6,400}[=*…])[\w+/=*…]{8,}`,
  ),
  // The header by its name, for all other ways to log in.
  anyCase(String.raw`(?<=authorization${IS})(?:bearer|basic|token|api-?key|key)${SPACE}${NO_CREDENTIAL}${VALUE}{6,}`),
  // A value by its name: with a digit, or with more letters than a word has; no number of a parser, no address.
  anyCase(String.raw`(?<=(?:${NAMES})${IS})(?!0x[\da-f]{1,16}\b|https?:)(?=${VALUE}{0,100}\d|[a-z]{20})${VALUE}{8,}`),
  // The user and password of an address.
  /(?<=:\/\/)[^\s/?#]+@/g,
];

/** More than anybody reads, and less than what a shape can take in before the engine's stack is full. */
const LONGEST = 1_000_000;

/**
 * The text with `[secret]` in each secret's place; cut after 1,000,000 characters.
 * @param known secrets that are known by their text; shorter than 4 characters they are no secrets. Default: none
 */
export function hideSecrets(text: string, known: readonly (string | undefined)[] = []): string {
  const kept = known.reduce<string>((left, secret) => {
    return secret !== undefined && secret.length > 3 ? left.replaceAll(secret, "[secret]") : left;
  }, text);
  const read = kept.length > LONGEST ? `${kept.slice(0, LONGEST)}…` : kept;
  return SHAPES.reduce((left, shape) => left.replace(shape, "[secret]"), read);
}
