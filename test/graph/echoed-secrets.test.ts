/** What is taken out of a model's failure before it is stored or shown, and what is left in. */

import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/graph/ask.ts";
import { hideSecrets } from "../../src/secrets.ts";

const SECRET = [
  "sk-fake-0123456789",
  "sk-fak***789",
  "sk_live_fake0123456789",
  "gsk_fake0123456789",
  "ghp_fake0123456789",
  "key-fake0123456789",
  "AKIAFAKEFAKEFAKE",
  "AIzaFake-Fake_Fake",
  "Bearer fake.token.text",
  "bearer fake0123",
  "BEARER fake0123",
  "Basic ZmFrZTpmYWtl0fake",
  "eyJfakefakefake.fake.fake",
  String.raw`{"line":"\nsk-fake-0123456789"}`,
  "my_sk-fake-0123456789",
  '"api_key": "fakefake0"',
  "?api-key=fakefake0",
  "https://user:fake@host",
  "https://user:f@fake@host/",
];
const PLAIN = [
  "keyboards, skeletons, skepticism, haikus, highlights",
  "key_length must be at least 1",
  "key_name_prefix key-exchange key-frames keyword2vec_model",
  "skill_level_2 skip_step_1_done pk_constraint sk_SK.UTF-8",
  "the model xai-grok-2-latest, hf_hub_download, hf-internal-testing",
  "Bearer token is missing, a bearer token, Bearer authentication, basic authentication",
  'WWW-Authenticate: Bearer realm="x1.com"',
  "https://example.com?to=a@b.com and me@host",
  "max_tokens: 4096000000, token: unexpected",
];

describe("a failure of the model", () => {
  it.each(SECRET)("tells nothing of %s", (secret) => {
    const { message } = new ModelError(new Error(`401: ${secret} there`));
    expect(message).toContain("[secret]");
    expect(message).not.toMatch(/fake/i);
  });

  it.each(PLAIN)("keeps the words of a person: %s", (words) => {
    expect(hideSecrets(words)).toBe(words);
  });

  it.each(["sk-", "key_", "Bearer ", "://", "eyJ", "token=  ", "gsk_a", "@", "-", "*"])(
    "is read in one go, however often %j stands in it",
    (part) => {
      const started = performance.now();
      hideSecrets(part.repeat(300_000));
      expect(performance.now() - started).toBeLessThan(2000);
    },
  );

  it("tells nothing of what is known to be a secret, and lets very short ones stand", () => {
    expect(hideSecrets("plain-looking and abc", ["plain-looking", "abc", undefined])).toBe("[secret] and abc");
  });
});
