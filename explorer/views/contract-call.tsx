// Calls an entrypoint of a contract with a bootstrap account: sandboxd signs.
import { useEffect, useState } from "preact/hooks";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { post, readLayer1 } from "../state/api.ts";
import { useRead } from "../state/loading.ts";
import { exampleOf, type Micheline, typeText } from "../state/michelson.ts";
import { mutezOf } from "../state/texts.ts";
import { AccountChoice } from "./account-choice.tsx";
import { SendFailure } from "./compose.tsx";

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
  const [from, setFrom] = useState("bootstrap1");
  const [argument, setArgument] = useState("");
  const [amount, setAmount] = useState("0");
  const [state, setState] = useState<{ said?: string; failure?: unknown; isBusy?: boolean }>({});
  const type = entrypoints.get(entrypoint)!;
  useEffect(() => setArgument(exampleOf(type)), [entrypoint]);

  const call = async (event: SubmitEvent) => {
    event.preventDefault();
    setState({ isBusy: true });
    try {
      await post("../contract_call", {
        from,
        contract: address,
        amount: Number(amount),
        entrypoint,
        arg: argument,
      });
      setState({ said: `${entrypoint} was applied.` });
    } catch (failure) {
      setState({ failure });
    }
  };
  return (
    <form class="form" onSubmit={call}>
      <Field label="Entrypoint">
        <select value={entrypoint} onChange={({ currentTarget }) => setEntrypoint(currentTarget.value)}>
          {[...entrypoints.keys()].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <AccountChoice label="Signed by" value={from} onChoose={setFrom} />
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
      <Field label="Tez">
        <input
          value={amount}
          onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          inputMode="decimal"
          aria-invalid={mutezOf(amount) === undefined}
        />
      </Field>
      <button class="button primary" disabled={state.isBusy || mutezOf(amount) === undefined}>
        <Icon name="send" /> <span>{state.isBusy ? "Calling…" : "Call"}</span>
      </button>
      {state.failure !== undefined && <SendFailure of={state.failure} />}
      <p class="said" role="status">
        {state.said}
      </p>
    </form>
  );
}
