/** What is taken out of a model's failure before it is stored or shown, and what is left in. */

import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/graph/ask.ts";
import { hideSecrets } from "../../src/secrets.ts";

const SECRET = [
  "sk-fake-0123456789",
  "sk_fake_abcdef",
  "sk-fak***789",
  "gsk_fake01234567",
  "ghp_fake0123456789",
  "key-fakefakefake",
  "AKIAFAKEFAKEFAKE",
  "AIzaFake-Fake_Fake",
  "Bearer fake.token.text",
  "user:fake@",
];
const PLAIN = [
  "keyboards",
  "skeletons",
  "skepticism",
  "highlights",
  "bearer token",
  "haikus",
  "a task-list",
  "me@host",
];

describe("a failure of the model", () => {
  it.each(SECRET)("tells nothing of %s", (secret) => {
    const text = secret.endsWith("@") ? `https://${secret}host` : `401: ${secret}`;
    const { message } = new ModelError(new Error(text));
    expect(message).toContain("[secret]");
    expect(message).not.toMatch(/fake/i);
  });

  it.each(PLAIN)("keeps the words of a person: %s", (word) => {
    expect(hideSecrets(`told of ${word} here`)).toBe(`told of ${word} here`);
  });

  it("tells nothing of what is known to be a secret, and lets very short ones stand", () => {
    expect(hideSecrets("plain-looking and abc", ["plain-looking", "abc", undefined])).toBe("[secret] and abc");
  });
});
