// Binary form of Micheline, as in operations, PACK and the rollup inbox.
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { fromHex, isHex, toHex } from "./hex.ts";
import { MAX_DEPTH, type Micheline, integer, isSequence, numberAt } from "./micheline.ts";
import { codeOfPrimitive, primitiveOfCode } from "./primitives.ts";

const INT = 0;
const STRING = 1;
const SEQUENCE = 2;
const PRIM_0 = 3; // then alternating: without and with annotations, for 0, 1 and 2 arguments
const PRIM_N = 9;
const BYTES = 10;

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws MalformedBytes when a primitive is unknown or a leaf is malformed. */
export function encodeMicheline(node: Micheline): Uint8Array {
  const writer = new ByteWriter();
  writeMicheline(writer, node);
  return writer.finish();
}

/** Length of {@link encodeMicheline}, without its bytes. @throws MalformedBytes as that does */
export function encodedLength(node: Micheline): number {
  if (isSequence(node)) return lengthsOf(node, 5);
  if ("int" in node) return 1 + integerLength(numberAt(node));
  if ("string" in node) return 5 + Buffer.byteLength(node.string);
  if ("bytes" in node) {
    if (!isHex(node.bytes)) throw new MalformedBytes("bytes are not hex");
    return 5 + node.bytes.length / 2;
  }
  if (codeOfPrimitive(node.prim) === undefined) throw new MalformedBytes(`unknown primitive ${node.prim}`);
  const { args, annots } = node;
  const isLong = args !== undefined && args.length > 2;
  const written = annots?.length || isLong ? 4 + Buffer.byteLength(annots?.join(" ") ?? "") : 0;
  return lengthsOf(args ?? [], 2 + (isLong ? 4 : 0) + written);
}

function lengthsOf(nodes: readonly Micheline[], own: number): number {
  let length = own;
  for (const node of nodes) length += encodedLength(node);
  return length;
}

/** The first byte of a number has 6 bits of it, each later one 7. */
function integerLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16);
  const bits = 4 * (hex.length - 1) + 32 - Math.clz32(Number.parseInt(hex[0]!, 16));
  return 1 + Math.ceil(Math.max(0, bits - 6) / 7);
}

/** Writes one expression. @throws MalformedBytes when a primitive is unknown. */
export function writeMicheline(writer: ByteWriter, node: Micheline): void {
  if (isSequence(node)) {
    writer.byte(SEQUENCE).measured(() => node.forEach((item) => writeMicheline(writer, item)));
  } else if ("int" in node) {
    writer.byte(INT).integer(numberAt(node));
  } else if ("string" in node) {
    writer.byte(STRING).sized(Buffer.from(node.string, "utf8"));
  } else if ("bytes" in node) {
    const bytes = fromHex(node.bytes);
    if (!bytes) throw new MalformedBytes("bytes are not hex");
    writer.byte(BYTES).sized(bytes);
  } else {
    const code = codeOfPrimitive(node.prim);
    if (code === undefined) throw new MalformedBytes(`unknown primitive ${node.prim}`);
    const args = node.args ?? [];
    const annots = node.annots ?? [];
    if (args.length <= 2) {
      writer.byte(PRIM_0 + 2 * args.length + (annots.length > 0 ? 1 : 0)).byte(code);
      for (const arg of args) writeMicheline(writer, arg);
      if (annots.length > 0) writer.sized(Buffer.from(annots.join(" "), "utf8"));
    } else {
      writer
        .byte(PRIM_N)
        .byte(code)
        .measured(() => args.forEach((arg) => writeMicheline(writer, arg)));
      writer.sized(Buffer.from(annots.join(" "), "utf8"));
    }
  }
}

/** Decodes exactly one expression. @throws MalformedBytes */
export function decodeMicheline(bytes: Uint8Array): Micheline {
  const reader = new ByteReader(bytes);
  const node = readMicheline(reader);
  reader.expectEnd();
  return node;
}

/** Reads one expression. @throws MalformedBytes */
export function readMicheline(reader: ByteReader, depth = 0): Micheline {
  if (depth > MAX_DEPTH) throw new MalformedBytes("nested too deeply");
  const tag = reader.byte();
  switch (tag) {
    case INT:
      return integer(reader.integer());
    case STRING:
      return { string: readText(reader) };
    case BYTES:
      return { bytes: toHex(reader.take(reader.uint32())) };
    case SEQUENCE:
      return readList(reader, depth);
    default:
      if (tag > PRIM_N) throw new MalformedBytes(`unknown tag ${tag}`);
      return readPrim(reader, tag, depth);
  }
}

function readPrim(reader: ByteReader, tag: number, depth: number): Micheline {
  const name = primitiveOfCode(reader.byte());
  if (name === undefined) throw new MalformedBytes("unknown primitive");
  if (tag === PRIM_N) {
    const args = readList(reader, depth);
    if (args.length < 3) throw new MalformedBytes("long form of a short application");
    const annots = readAnnotations(reader);
    return { prim: name, args, ...(annots.length > 0 && { annots }) };
  }
  const count = (tag - PRIM_0) >> 1;
  const args: Micheline[] = [];
  for (let i = 0; i < count; i++) args.push(readMicheline(reader, depth + 1));
  const hasAnnotations = ((tag - PRIM_0) & 1) === 1;
  const annots = hasAnnotations ? readAnnotations(reader) : [];
  if (hasAnnotations && annots.length === 0) throw new MalformedBytes("empty annotations");
  return { prim: name, ...(count > 0 && { args }), ...(annots.length > 0 && { annots }) };
}

function readList(reader: ByteReader, depth: number): Micheline[] {
  const inner = reader.slice(reader.uint32());
  const items: Micheline[] = [];
  while (inner.left > 0) items.push(readMicheline(inner, depth + 1));
  return items;
}

function readText(reader: ByteReader): string {
  const bytes = reader.take(reader.uint32());
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    throw new MalformedBytes("text is not UTF-8");
  }
}

function readAnnotations(reader: ByteReader): string[] {
  const text = readText(reader);
  return text === "" ? [] : text.split(" ");
}
