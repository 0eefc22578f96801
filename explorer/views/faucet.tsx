// Moves tez of a bootstrap account over the bridge into a runtime account: a signed operation of layer 1, like any deposit.
import { useState } from "preact/hooks";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { FailureNote, Panel } from "../parts/panel.tsx";
import { post } from "../state/api.ts";
import { accounts, settings } from "../state/live.ts";
import { mutezOf } from "../state/texts.ts";
import { AccountChoice } from "./account-choice.tsx";

export function Faucet({ to = "" }: { readonly to?: string }) {
  const [from, setFrom] = useState("bootstrap1");
  const [receiver, setReceiver] = useState(to);
  const [amount, setAmount] = useState("100");
  const [outcome, setOutcome] = useState<{ sent?: string; failure?: unknown; isBusy?: boolean }>({});
  const isValid = mutezOf(amount) !== undefined && Number(amount) > 0;
  const address = accounts.value.find(({ label }) => label === receiver.trim())?.address ?? receiver.trim();

  const deposit = async (event: SubmitEvent) => {
    event.preventDefault();
    setOutcome({ isBusy: true });
    try {
      await post("../contract_call", {
        from,
        contract: settings.value?.layer1_node.bridge_address,
        amount: Number(amount),
        entrypoint: "deposit",
        arg: JSON.stringify(address),
      });
      setOutcome({ sent: `${amount} tez are on their way to ${receiver.trim()}.` });
    } catch (failure) {
      setOutcome({ failure });
    }
  };
  return (
    <Panel title="Faucet">
      <form class="form" onSubmit={deposit}>
        <AccountChoice label="From layer 1" value={from} onChoose={setFrom} />
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
        <Field label="Tez">
          <input
            value={amount}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
            inputMode="decimal"
            aria-invalid={!isValid}
            required
          />
        </Field>
        <button
          class="button primary"
          disabled={outcome.isBusy || !isValid || address === "" || !settings.value}
        >
          <Icon name="drop" /> {outcome.isBusy ? "Depositing…" : "Deposit"}
        </button>
        {outcome.failure !== undefined && <FailureNote of={outcome.failure} />}
        <p class="said" role="status">
          {outcome.sent}
        </p>
      </form>
    </Panel>
  );
}
