/**
 * Text and bytes for the shell: UTF-8 both ways, as the loader expects it and a bare isolate does not have it.
 * One self-contained function, whose text is all that crosses.
 */

export function createText() {
  "use strict";
  const { fromCharCode } = String;
  const Bytes = Uint8Array;
  const decodeUtf8 = (bytes: Uint8Array, from: number, to: number): string => {
    let text = "";
    let index = from;
    while (index < to) {
      const first = bytes[index++] as number;
      let code = first;
      if (first >= 0xc2) {
        const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        code = more === 1 ? first & 31 : more === 2 ? first & 15 : first & 7;
        for (let count = 0; count < more && index < to; count++) code = (code << 6) | ((bytes[index++] as number) & 63);
      } else if (first >= 0x80) code = 0xfffd;
      if (code > 0x10ffff) code = 0xfffd;
      text += code > 0xffff ? fromCharCode(0xd7c0 + (code >> 10), 0xdc00 + (code & 1023)) : fromCharCode(code);
    }
    return text;
  };
  const asBytes = (view: ArrayBuffer | ArrayBufferView | undefined): Uint8Array => {
    if (view === undefined) return new Bytes(0);
    if (view instanceof Bytes) return view;
    return ArrayBuffer.isView(view) ? new Bytes(view.buffer, view.byteOffset, view.byteLength) : new Bytes(view);
  };
  class Decoder {
    readonly encoding: string;
    constructor(encoding = "utf-8") {
      this.encoding = encoding;
    }
    decode(view?: ArrayBuffer | ArrayBufferView): string {
      const bytes = asBytes(view);
      if (!this.encoding.includes("16")) return decodeUtf8(bytes, 0, bytes.length);
      let text = "";
      for (let at = 0; at + 1 < bytes.length; at += 2) {
        text += fromCharCode((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
      }
      return text;
    }
  }
  class Encoder {
    readonly encoding = "utf-8";
    encode(text = ""): Uint8Array {
      const bytes: number[] = [];
      for (const character of text) {
        const code = character.codePointAt(0) as number;
        if (code < 0x80) bytes.push(code);
        else if (code < 0x800) bytes.push(192 | (code >> 6), 128 | (code & 63));
        else if (code < 0x10000) bytes.push(224 | (code >> 12), 128 | ((code >> 6) & 63), 128 | (code & 63));
        else bytes.push(240 | (code >> 18), 128 | ((code >> 12) & 63), 128 | ((code >> 6) & 63), 128 | (code & 63));
      }
      return new Bytes(bytes);
    }
    encodeInto(text: string, target: Uint8Array): { read: number; written: number } {
      const bytes = this.encode(text);
      target.set(bytes);
      return { read: text.length, written: bytes.length };
    }
  }
  return { decodeUtf8, Decoder, Encoder };
}
