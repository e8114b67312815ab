/**
 * Text and bytes for the shell: UTF-8 both ways, as the loader expects it and a bare isolate does not have it.
 * One self-contained function, whose text is all that crosses.
 */

/** What was read of some bytes: the text, its size in UTF-8, and the index behind the last byte that was read. */
export interface Decoded {
  text: string;
  size: number;
  end: number;
}

export function createText() {
  "use strict";
  const { fromCharCode } = String;
  const Bytes = Uint8Array;
  /**
   * As the Encoding standard has it: what is no character is U+FFFD, once for each longest beginning of one. Stops where the
   * text would be larger than `most` bytes; and, where more is to come, before a character of which the end is missing.
   */
  const decodePart = (bytes: Uint8Array, from: number, to: number, most: number, isLast: boolean): Decoded => {
    const at = (index: number): number => bytes[index] as number;
    let text = "";
    let size = 0;
    let end = from;
    while (end < to) {
      const first = at(end);
      if (first < 0x80) {
        if (size >= most) break;
        // Eight at once, which most text is: one by one takes more than twice as long.
        const i = end;
        const all =
          i + 8 <= to ? first | at(i + 1) | at(i + 2) | at(i + 3) | at(i + 4) | at(i + 5) | at(i + 6) | at(i + 7) : 128;
        if (all < 0x80 && size + 8 <= most) {
          text += fromCharCode(first, at(i + 1), at(i + 2), at(i + 3), at(i + 4), at(i + 5), at(i + 6), at(i + 7));
          size += 8;
          end += 8;
        } else {
          text += fromCharCode(first);
          size++;
          end++;
        }
        continue;
      }
      const more = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
      // Of the second byte alone: neither longer than needed, nor half a surrogate pair, nor beyond what Unicode has.
      let least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      let greatest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      let code = more === 0 ? 0xfffd : first & (0x3f >> more);
      let next = end + 1;
      for (let count = 0; count < more; count++) {
        const byte = next < to ? at(next) : -1;
        if (byte < 0 && !isLast) return { text, size, end };
        if (byte < least || byte > greatest) {
          code = 0xfffd;
          break;
        }
        code = (code << 6) | (byte & 63);
        next++;
        least = 0x80;
        greatest = 0xbf;
      }
      const width = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (size + width > most) break;
      text += code > 0xffff ? fromCharCode(0xd7c0 + (code >> 10), 0xdc00 + (code & 1023)) : fromCharCode(code);
      size += width;
      end = next;
    }
    return { text, size, end };
  };
  const decodeUtf8 = (bytes: Uint8Array): string => decodePart(bytes, 0, bytes.length, Infinity, true).text;
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
      if (!this.encoding.includes("16")) return decodeUtf8(bytes);
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
  return { decodePart, Decoder, Encoder };
}
