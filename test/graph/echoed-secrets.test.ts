/** What is taken out of a model's failure before it is stored or shown, and what is left in. */

import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/graph/ask.ts";
import { hideSecrets } from "../../src/secrets.ts";

/** A key of nothing but letters, which is plainly none that anybody uses. */
const letters = (length: number): string => "fakeFAKE".repeat(length).slice(0, length);

/** Keys that are known by themselves, wherever they stand. */
const KEYS = [
  "sk-fake-0123456789",
  "sk-fak***789",
  "sk-...fake",
  "sk-…fake",
  "sk-my-fake-pass",
  `sk-proj-${letters(40)}`,
  "sk_live_fake0123456789",
  "sk_test_fake0123456789",
  `sk_live_${letters(24)}`,
  `rk_live_${letters(24)}`,
  `sk_test_${letters(24)}`,
  "gsk_fake0123456789",
  `gsk_${letters(52)}`,
  "ghp_fake0123456789",
  `ghp_${letters(36)}`,
  `github_pat_${letters(22)}_${letters(59)}`,
  `glpat-${letters(20)}`,
  "glpat-fake-fake_fake-fake",
  `xox${"b"}-0123-${letters(24)}`,
  `nvapi-${letters(64)}`,
  `tvly-${letters(32)}`,
  `lsv2_pt_${letters(32)}_${letters(10)}`,
  "key-fake0123456789",
  "key-00000000-0000-fa0e-0000-00000000fake",
  `hf_${letters(34)}`,
  "hf_fa***ke",
  "hf_fake...fake",
  `npm_${letters(36)}`,
  `pplx-${letters(48)}`,
  `xai-${letters(80)}`,
  `r8_${letters(37)}`,
  `csk-${letters(48)}`,
  "AKIAFAKEFAKEFAKE",
  "AIzaFake-Fake_Fake",
  "eyJfakefakefake.fake.fake",
  "eyJfakefake0",
  `eyJ${letters(30)}`,
];

/** Secrets that are known by what stands before them. */
const TOLD = [
  "Bearer fake.token.text",
  "Bearer fakefake",
  'Bearer "fakefake"',
  "bearer fake0123",
  "bearer fakefakefake",
  "BEARER fake0123",
  "bearer%20fakefakefake",
  "Bearer token-fake0123",
  "Bearer auth0fake",
  String.raw`{"line":"\nBearer fake0123"}`,
  "Basic ZmFrZTpmYWtl0fake",
  "Basic ZmFrZTpmYWtlZmFrZQ==",
  "Basic dfakEjpwfake",
  "basic ZmFrZTpm****",
  "Authorization: Token 0123fake",
  "Authorization: Token fakefakefake",
  '"Authorization": "ApiKey fakefakefake"',
  "authorization=fakefake1",
  "Incorrect API key provided: fakefake0.",
  `OPENAI_API_KEY=${letters(20)}`,
  `"password":"${letters(24)}"`,
  "https://user:fake@host",
  "https://user:f@fake@host/",
];

/** Names whose value is a secret, each in all the forms that a value is given in. */
const NAMES = [
  "api_key",
  "api-key",
  "apiKey",
  "access_token",
  "accessToken",
  "client_secret",
  "clientSecret",
  "OPENAI_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "private_key",
  "X-Api-Key",
  "x-goog-api-key",
  "Ocp-Apim-Subscription-Key",
  "Token",
  "TOKEN",
  "PASSWORD",
  "passwd",
  "DB_PASSWORD",
  "passphrase",
];
const FORMS = [
  (name: string) => `{"${name}":"fakefake01"}`,
  (name: string) => `{"${name}": "fakefake01"}`,
  (name: string) => `{'${name}': 'fakefake01'}`,
  (name: string) => String.raw`{"body":"{\"${name}\":\"fakefake01\"}"}`,
  (name: string) => `${name}: fakefake01`,
  (name: string) => `https://host/v1?a=b&${name}=fakefake01&c=d`,
  (name: string) => `${name}=fakefake01`,
  (name: string) => `export ${name}="fakefake01"`,
];

const SECRET = [
  ...KEYS,
  ...[...KEYS, "fake0123456789"].flatMap((key) => [`{"api_key":"${key}"}`, `Authorization: Bearer ${key}`]),
  ...KEYS.flatMap((key) => [`{"said":"${key}"}`, `https://host/v1?k=${key}&a=b`, `MINE=${key}`, `X-Mine: ${key}`]),
  String.raw`{"line":"\nsk-fake-0123456789"}`,
  "my_sk-fake-0123456789",
  '"api_key": "fakefake0"',
  "?api-key=fakefake0",
  ...TOLD,
  ...NAMES.flatMap((name) => FORMS.map((form) => form(name))),
];

const PLAIN = [
  "keyboards, skeletons, skepticism, haikus, highlights",
  "key_length must be at least 1",
  "key_name_prefix key-exchange key-frames keyword2vec_model",
  "key_value_pair_2_items, key_derivation_sha256_rounds, npm_config_user_agent, hf_hub_download...",
  "key_someLongCamelCaseName, key-value-store-2024, xai-grok-code-fast-1",
  "skill_level_2 skip_step_1_done pk_constraint sk_SK.UTF-8 sk_test_estimators_2 pk_users_email_20240718",
  "sk-learn-pipeline, sk-learn-1.5.2",
  "the model xai-grok-2-latest, xai-grok-2-1212, pplx-70b-online-2024, hf_hub_download, hf-internal-testing",
  "gpt-4o-mini-2024-07-18 claude-sonnet-4-5-20250929 o3-mini-2025-01-31 llama-3.3-70b-versatile gemini-2.5-flash",
  "eyJustWordsHere",
  "ASIA-PACIFIC-SOUTHEAST",
  "Bearer token is missing, a bearer token, Bearer authentication, basic authentication",
  "Bearer credentials are missing; Bearer scheme expected. Use the Bearer format.",
  "use Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or: Authorization: Bearer <token>, Bearer 'authentication'",
  "the bearer cannot open it, bearer authorization required",
  "Authorization: Token required, authorization: insufficient_scope, Authorization: Bearer token",
  'WWW-Authenticate: Bearer realm="x1.com"',
  'WWW-Authenticate: Bearer error="invalid_token", resource_metadata="https://example.com/1"',
  "basic 3.14159265, basic JavaScript, Basic functionality, basic understanding of pbkdf2_hmac",
  "https://example.com?to=a@b.com and me@host",
  "max_tokens: 4096000000, token: unexpected",
  '{"max_tokens": 4096, "completion_tokens":12345678, "token_count": 12345678, "eos_token_id": 128001}',
  "MAX_TOKENS=4096000000 ?max_tokens=4096000000&page=2",
  "unexpected token: 0x12345678, token count 12345678, unexpected token '<', password: required",
  "Get an API key: https://example.com/keys/1",
  "primary_key=12345678 partition-key: 12345678, Keyword: 12345678",
  "request id: 123e4567-e89b-12d3-a456-426614174000, x-request-id: 123e4567-e89b-12d3-a456-426614174000",
  '{"request_id":"req_011CQabcdefgh0123456789"} chatcmpl-abcdefgh0123456789 call_abcdefgh0123456789',
];

describe("a failure of the model", () => {
  it.each(SECRET)("tells nothing of %s", (secret) => {
    const { message } = new ModelError(new Error(`401: ${secret} there`));
    expect(message).toContain("[secret]");
    expect(message).not.toMatch(/fake/i);
    expect(message).toMatch(/^The model did not answer: 401: .* there$/);
  });

  it.each(PLAIN)("keeps the words of a person: %s", (words) => {
    expect(hideSecrets(words)).toBe(words);
  });

  it("keeps what stands around a secret", () => {
    expect(hideSecrets('{"access_token":"0123456789ab","id":"req_1"}')).toBe(
      '{"access_token":"[secret]","id":"req_1"}',
    );
    expect(hideSecrets("https://host/?api_key=0123456789ab&page=2")).toBe("https://host/?api_key=[secret]&page=2");
  });

  // Parts that begin a shape and never end it, that end it again and again, or that could be split in many ways.
  it.each([
    ...[
      "sk-",
      "key_",
      "Bearer ",
      "://",
      "eyJ",
      "token=  ",
      "gsk_a",
      "@",
      "-",
      "*",
      "sk-learn-",
      "key_a1-",
      "hf_",
      "a_",
    ],
    ...[
      "key_1.",
      "key_...",
      "eyJ-",
      "eyJa.",
      "basic ",
      "Basic aA",
      "basic%20",
      "bearer token ",
      "bearer%20",
      " ",
      "\\",
    ],
    ...[
      "authorization: ",
      "authorization: token ",
      "api_key",
      "api key: ",
      "PASSWORD",
      "token:'",
      "secret==",
      "1",
      ".",
    ],
    ...[
      "npm_12345678_",
      "xai-abcdefghijklmnop",
      "token=a",
      '\\"',
      "token=0x",
      "glpat-",
      "AKIA",
      "aA",
      "Bearer a.",
      "…",
    ],
  ])("is read in one go, however often %j stands in it", (part) => {
    const many = part.repeat(300_000);
    for (const text of [many, `key_${many}`, `token=${many}`]) {
      const started = performance.now();
      hideSecrets(text);
      expect(performance.now() - started).toBeLessThan(2000);
    }
  });

  it("is cut where nobody reads on, rather than that it fills the stack", () => {
    expect(hideSecrets("sk-fake0".repeat(2_000_000))).toBe("[secret]");
    expect(hideSecrets("a ".repeat(5_000_000))).toBe(`${"a ".repeat(500_000)}…`);
  });

  it("tells nothing of what is known to be a secret, and lets very short ones stand", () => {
    expect(hideSecrets("plain-looking and abc", ["plain-looking", "abc", undefined])).toBe("[secret] and abc");
  });
});
