// Deposits tez of a bootstrap account to a runtime account: a signed operation of layer 1, like any deposit.
import { useState } from "preact/hooks";
import { Field } from "../parts/field.tsx";
import { Panel } from "../parts/panel.tsx";
import { accounts, settings } from "../state/live.ts";
import { ContractCallForm } from "./contract-call-form.tsx";

export function Faucet({ to = "" }: { readonly to?: string }) {
  const [receiver, setReceiver] = useState(to);
  const typed = receiver.trim();
  const address = accounts.value.find(({ label }) => label === typed)?.address ?? typed;
  const bridge = settings.value?.layer1_node.bridge_address;
  return (
    <Panel title="Faucet">
      <ContractCallForm
        account="From layer 1"
        tez="100"
        isPayment
        call={
          bridge === undefined || address === ""
            ? undefined
            : { contract: bridge, entrypoint: "deposit", argument: JSON.stringify(address) }
        }
        verb={{ icon: "drop", idle: "Deposit", busy: "Depositing…" }}
        done={(tez) => `${tez} tez are on their way to ${typed}.`}
      >
        <Field label="To runtime account">
          <input
            value={receiver}
            onInput={({ currentTarget }) => setReceiver(currentTarget.value)}
            placeholder="Address or name"
            required
            spellcheck={false}
            autocomplete="off"
          />
        </Field>
      </ContractCallForm>
    </Panel>
  );
}
