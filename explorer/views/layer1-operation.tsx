// One operation of layer 1: its contents with their calls, storage changes and fees.
import { Code, visible } from "../parts/code.tsx";
import { Whole } from "../parts/copy-button.tsx";
import { Address, Level } from "../parts/links.tsx";
import { Outcome, Tez, Time } from "../parts/marks.tsx";
import { Facts, Panel, WhenRead } from "../parts/panel.tsx";
import { readHistory } from "../state/api.ts";
import { layer1Failure, type Layer1Row, layer1Title } from "../state/layer1.ts";
import { useRead } from "../state/loading.ts";
import { jsonText, numberText } from "../state/texts.ts";

export function Layer1OperationView({ hash }: { readonly hash: string }) {
  const loaded = useRead<readonly Layer1Row[]>(`l1 ${hash}`, async (signal) => {
    const rows = await readHistory<Layer1Row[]>(`operations/${encodeURIComponent(hash)}`, signal);
    return rows && rows.length > 0 ? rows : undefined;
  });
  return (
    <WhenRead loaded={loaded} missing={`Layer 1 has no operation ${hash} in the blocks that are kept.`}>
      {(rows) => (
        <div class="stack">
          <Summary hash={hash} rows={rows} />
          {rows.map((row) => (
            <Content key={row.id} of={row} />
          ))}
        </div>
      )}
    </WhenRead>
  );
}

function Summary({ hash, rows }: { readonly hash: string; readonly rows: readonly Layer1Row[] }) {
  const first = rows[0]!;
  const failed = rows.map(layer1Failure).find((failure) => failure !== undefined);
  const sum = (field: "bakerFee" | "storageFee" | "allocationFee"): number =>
    rows.reduce((all, row) => all + (row[field] ?? 0), 0);
  return (
    <section class={`panel summary ${failed === undefined ? "good" : "bad"}`}>
      <div class="headline">
        <Outcome ok={failed === undefined} text={failed === undefined ? "Applied" : "Failed"} />
        <span>{layer1Title(first)}</span>
      </div>
      {failed !== undefined && <p class="reason">{failed}</p>}
      <Facts
        of={[
          ["From", first.sender && <Address of={first.sender.address} />],
          ["Block", <Level of={first.level} />],
          ["Time", <Time at={first.timestamp} />],
          ["Fee", <Tez of={sum("bakerFee")} />],
          [
            "Burned",
            sum("storageFee") + sum("allocationFee") > 0 && (
              <Tez of={sum("storageFee") + sum("allocationFee")} />
            ),
          ],
          ["Gas", numberText(rows.reduce((all, row) => all + (row.gasUsed ?? 0), 0))],
          ["Hash", <Whole text={hash} what="hash" />],
        ]}
      />
    </section>
  );
}

function Content({ of }: { readonly of: Layer1Row }) {
  const { parameter, storage, diffs, errors, nonce } = of;
  const failure = layer1Failure(of);
  const to = of.target?.address ?? of.originatedContract?.address ?? of.rollup?.address;
  return (
    <Panel
      title={layer1Title(of)}
      class={nonce === undefined ? "" : "internal"}
      actions={nonce === undefined ? undefined : <span class="mark">internal</span>}
    >
      <Facts
        of={[
          ["Status", <Outcome ok={failure === undefined} text={failure ?? "applied"} />],
          ["From", of.sender && <Address of={of.sender.address} as={contractOr(of.sender.address)} />],
          ["To", to !== undefined && <Address of={to} as={contractOr(to)} />],
          ["Amount", of.amount !== undefined && of.type === "transaction" && <Tez of={of.amount} />],
          ["Gas", of.gasUsed !== undefined && numberText(of.gasUsed)],
        ]}
      />
      {parameter && <Json name={`Argument of ${parameter.entrypoint}`} value={parameter.value} />}
      {diffs && diffs.length > 0 && <Json name="Big map changes" value={diffs} />}
      {storage !== undefined && storage !== null && <Json name="Storage after" value={storage} />}
      {errors && errors.length > 0 && <Json name="Errors" value={errors} />}
    </Panel>
  );
}

const contractOr = (address: string): "contract" | undefined =>
  address.startsWith("KT1") ? "contract" : undefined;

export function Json({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = jsonText(value);
  return (
    <details class="more" open={text.length < 1_000}>
      <summary>{visible(name)}</summary>
      <Code text={text} language="json" />
    </details>
  );
}
