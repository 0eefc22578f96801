// The body of a request or response: rendered by its kind, as text, and as bytes.
import { sizeText } from "../../daemon/text/byte-size.ts";
import { hexDump } from "../../daemon/text/hex-dump.ts";
import { jsonText, plural } from "../state/texts.ts";
import { Code, visible } from "./code.tsx";
import { Nothing } from "./panel.tsx";
import { type Tab, Tabs } from "./tabs.tsx";

type Headers = Readonly<Record<string, string | readonly string[]>>;

interface BodyProps {
  /** "Request" or "Response". */
  readonly of: string;
  /** Base64; null for none. */
  readonly body: string | null;
  readonly headers: Headers | null;
  /** Text to show when the body was too large to keep. */
  readonly missing?: string | undefined;
}

/** Bytes that are shown in hex, and characters of text. */
const MAX_HEX = 4_096;
const MAX_TEXT = 200_000;
const MAX_HEADERS = 200;

/** Images that may be shown, recognised by their first bytes so that nothing else passes for one. */
const IMAGES: readonly (readonly [type: string, begin: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
];

export function Body({ of, body, headers, missing }: BodyProps) {
  const bytes = body === null ? new Uint8Array() : bytesOf(body);
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_TEXT));
  const image = imageOf(bytes, body);
  const json = jsonOf(text);
  const tabs: Tab[] = [];
  if (image !== undefined)
    tabs.push({ name: "Image", show: () => <img class="shown-image" src={image} alt={`${of} body`} /> });
  if (json !== undefined) tabs.push({ name: "Pretty", show: () => <Code text={json} language="json" /> });
  if (bytes.length > 0) {
    tabs.push({ name: "Raw", show: () => <Code text={text} /> });
    tabs.push({ name: "Hex", show: () => <Code text={hexDump(bytes, MAX_HEX)} /> });
  }
  if (missing !== undefined) tabs.push({ name: "Body", show: () => <Nothing>{missing}</Nothing> });
  tabs.push({ name: "Headers", show: () => <HeaderList of={headers} /> });
  return (
    <div class="body">
      <p class="faint">
        {bytes.length > 0 ? sizeText(bytes.length) : missing === undefined ? "No body" : ""}
      </p>
      <Tabs label={of} tabs={tabs} />
    </div>
  );
}

function HeaderList({ of }: { readonly of: Headers | null }) {
  const rows = Object.entries(of ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  if (of === null) return <Nothing>The headers were too large to keep.</Nothing>;
  if (rows.length === 0) return <Nothing>No headers.</Nothing>;
  return (
    <dl class="facts headers">
      {rows.slice(0, MAX_HEADERS).map(([name, value], i) => (
        <div key={i}>
          <dt class="mono">{visible(name)}</dt>
          <dd class="mono wrap">{visible(value)}</dd>
        </div>
      ))}
      {rows.length > MAX_HEADERS && (
        <div>
          <dt>…</dt>
          <dd class="faint">{plural(rows.length - MAX_HEADERS, "further header")}</dd>
        </div>
      )}
    </dl>
  );
}

export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function imageOf(bytes: Uint8Array, body: string | null): string | undefined {
  const type = IMAGES.find(([, begin]) => begin.every((byte, i) => bytes[i] === byte))?.[0];
  return type && `data:${type};base64,${body}`;
}

function jsonOf(text: string): string | undefined {
  if (!/^\s*[[{"\d\-tfn]/.test(text)) return undefined;
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return undefined;
  }
}
