/**
 * Small strict decoders: unknown to typed, or a violation. No coercion, no defaults, no unknown keys.
 * Written here and not taken from a library because the worker loads it too: it must start fast and trust nothing.
 */

import { ProtocolViolation } from "./frame.ts";

export type Decoder<T> = (value: unknown) => T;

/** A decoder that also accepts that the key is missing. */
export type OptionalDecoder<T> = Decoder<T> & { optional: true };

type RecordShape<T> = {
  [Key in keyof T]-?: undefined extends T[Key] ? OptionalDecoder<Exclude<T[Key], undefined>> : Decoder<T[Key]>;
};

function violate(expected: string): never {
  throw new ProtocolViolation(`expected ${expected}`);
}

export function text(maxChars: number): Decoder<string> {
  return (value) => (typeof value === "string" && value.length <= maxChars ? value : violate("text"));
}

export const boolean: Decoder<boolean> = (value) => (typeof value === "boolean" ? value : violate("a boolean"));

export const number: Decoder<number> = (value) =>
  typeof value === "number" && Number.isFinite(value) ? value : violate("a number");

export function integer(min: number, max: number): Decoder<number> {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : violate("an integer");
}

export function choice<T extends string>(choices: readonly T[]): Decoder<T> {
  return (value) => ((choices as readonly unknown[]).includes(value) ? (value as T) : violate("a known word"));
}

export function nullable<T>(decoder: Decoder<T>): Decoder<T | null> {
  return (value) => (value === null ? null : decoder(value));
}

export function optional<T>(decoder: Decoder<T>): OptionalDecoder<T> {
  return Object.assign((value: unknown) => decoder(value), { optional: true as const });
}

export function array<T>(decoder: Decoder<T>, maxLength: number): Decoder<T[]> {
  return (value) =>
    Array.isArray(value) && value.length <= maxLength ? value.map((item) => decoder(item)) : violate("a short array");
}

/** An object with exactly these keys. The value returned is made anew: it has no other. */
export function decodeRecord<T extends object>(shape: RecordShape<T>): Decoder<T> {
  const decoders = Object.entries(shape) as [string, Decoder<unknown> & { optional?: true }][];
  const known = new Set(decoders.map(([key]) => key));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) violate("an object");
    for (const key of Object.keys(value as object)) if (!known.has(key)) violate("no unknown key");
    const decoded: Record<string, unknown> = {};
    for (const [key, decoder] of decoders) {
      if (Object.hasOwn(value as object, key)) decoded[key] = decoder((value as Record<string, unknown>)[key]);
      else if (!decoder.optional) violate(`the key ${key}`);
    }
    return decoded as T;
  };
}
