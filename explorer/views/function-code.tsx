// The code of a smart function: its source files, if the source map contains them, and the deployed code.
import { useMemo } from "preact/hooks";
import { Code } from "../parts/code.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { sourcesIn, withoutMap } from "../state/source-map.ts";

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
