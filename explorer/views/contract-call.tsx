// Calls an entrypoint of a contract with a bootstrap account: sandboxd signs.
import { useEffect, useState } from "preact/hooks";
import { Field } from "../parts/field.tsx";
import { Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readLayer1 } from "../state/api.ts";
import { useRead } from "../state/loading.ts";
import { exampleOf, type Micheline, typeText } from "../state/michelson.ts";
import { ContractCallForm } from "./contract-call-form.tsx";

type Entrypoints = ReadonlyMap<string, Micheline>;

export function ContractCall({ address }: { readonly address: string }) {
  const loaded = useRead<Entrypoints>(`entrypoints ${address}`, async (signal) => {
    const script = `chains/main/blocks/head/context/contracts/${encodeURIComponent(address)}`;
    const [named, root] = await Promise.all([
      readLayer1<{ entrypoints: Record<string, Micheline> }>(`${script}/entrypoints`, signal),
      readLayer1<Micheline>(`${script}/entrypoints/default`, signal),
    ]);
    if (!named) return undefined;
    return new Map([...Object.entries(named.entrypoints), ...(root ? [["default", root] as const] : [])]);
  });
  return (
    <Panel title="Call an entrypoint">
      <WhenRead loaded={loaded} missing="It has no entrypoints.">
        {(entrypoints) =>
          entrypoints.size === 0 ? (
            <Nothing>It has no entrypoints.</Nothing>
          ) : (
            <CallForm address={address} entrypoints={entrypoints} />
          )
        }
      </WhenRead>
    </Panel>
  );
}

function CallForm({ address, entrypoints }: { readonly address: string; readonly entrypoints: Entrypoints }) {
  const [entrypoint, setEntrypoint] = useState([...entrypoints.keys()][0]!);
  const [argument, setArgument] = useState("");
  const type = entrypoints.get(entrypoint)!;
  useEffect(() => setArgument(exampleOf(type)), [entrypoint]);
  return (
    <ContractCallForm
      account="Signed by"
      tez="0"
      call={{ contract: address, entrypoint, argument }}
      verb={{ icon: "send", idle: "Call", busy: "Calling…" }}
      done={() => `${entrypoint} was applied.`}
    >
      <Field label="Entrypoint">
        <select value={entrypoint} onChange={({ currentTarget }) => setEntrypoint(currentTarget.value)}>
          {[...entrypoints.keys()].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field label="Argument" hint={typeText(type)} class="wide">
        <textarea
          class="mono"
          rows={3}
          value={argument}
          onInput={({ currentTarget }) => setArgument(currentTarget.value)}
          spellcheck={false}
          required
        />
      </Field>
    </ContractCallForm>
  );
}
