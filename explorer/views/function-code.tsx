// The code of a smart function: the files that it was made of where its source map has them, and what was deployed.
import { useMemo } from "preact/hooks";
import { Code } from "../parts/code.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** Tabs for files; further ones are in the deployed code. */
const MAX_FILES = 12;

export function FunctionCode({ code }: { readonly code: string }) {
  const { files, deployed } = useMemo(() => ({ files: sourcesIn(code), deployed: withoutMap(code) }), [code]);
  const tabs: Tab[] = files.map(({ name, text }) => ({
    name,
    show: () => <Code text={text} language={/\.tsx?$/.test(name) ? "typescript" : "javascript"} numbered />,
  }));
  tabs.push({ name: "Deployed code", show: () => <Code text={deployed} language="javascript" numbered /> });
  return (
    <Panel title="Code" class="code-panel">
      <Tabs label="Files" tabs={tabs} />
    </Panel>
  );
}

const MAP = /\n?\/\/[#@] sourceMappingURL=data:application\/json[^,\n]*;base64,([A-Za-z0-9+/=]+)\s*$/;

export function withoutMap(code: string): string {
  return code.replace(MAP, "");
}

/** Files whose text an inline source map holds; none where the map is missing or broken. */
export function sourcesIn(code: string): SourceFile[] {
  const encoded = MAP.exec(code)?.[1];
  if (encoded === undefined) return [];
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const map = JSON.parse(new TextDecoder().decode(bytes)) as {
      sources?: unknown;
      sourcesContent?: unknown;
    };
    if (!Array.isArray(map.sources) || !Array.isArray(map.sourcesContent)) return [];
    const texts = map.sourcesContent as readonly unknown[];
    return (map.sources as readonly unknown[])
      .map((name, i) => ({ name: String(name), text: texts[i] }))
      .filter((file): file is SourceFile => typeof file.text === "string")
      .sort((one, other) => Number(isForeign(one.name)) - Number(isForeign(other.name)))
      .slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

/** Own files come first. */
const isForeign = (name: string): boolean => name.includes("node_modules/");
