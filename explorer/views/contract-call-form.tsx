// The common form for contract calls from an account of the sandbox: sandboxd signs.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { Field } from "../parts/field.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { post } from "../state/api.ts";
import { mutezOf } from "../state/texts.ts";
import { AccountChoice } from "./account-choice.tsx";
import { SendFailure } from "./compose.tsx";

interface Call {
  readonly contract: string;
  readonly entrypoint: string;
  /** Michelson. */
  readonly argument: string;
}

interface ContractCallFormProps {
  /** Label of the account's field. */
  readonly account: string;
  /** Initial amount in tez. */
  readonly tez: string;
  /** Whether the call needs an amount. */
  readonly isPayment?: boolean;
  /** The call; undefined while the form is incomplete. */
  readonly call: Call | undefined;
  readonly verb: { readonly icon: IconName; readonly idle: string; readonly busy: string };
  /** Message after success. */
  readonly done: (tez: string) => string;
  /** The fields between account and amount. */
  readonly children: ComponentChildren;
}

export function ContractCallForm({
  account,
  tez,
  isPayment,
  call,
  verb,
  done,
  children,
}: ContractCallFormProps) {
  const [from, setFrom] = useState("bootstrap1");
  const [amount, setAmount] = useState(tez);
  const [outcome, setOutcome] = useState<{ said?: string; failure?: unknown; isBusy?: boolean }>({});
  const mutez = mutezOf(amount);
  const isValid = mutez !== undefined && (!isPayment || mutez > 0n);

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!call || mutez === undefined) return;
    setOutcome({ isBusy: true });
    try {
      const { contract, entrypoint, argument: arg } = call;
      // The route takes a number, and refuses one that is not exactly this amount.
      const tezNumber = Number(formatTez(mutez));
      await post("../contract_call", { from, contract, amount: tezNumber, entrypoint, arg });
      setOutcome({ said: done(amount) });
    } catch (failure) {
      setOutcome({ failure });
    }
  };
  return (
    <form class="form" onSubmit={send}>
      <AccountChoice label={account} value={from} onChoose={setFrom} />
      {children}
      <Field label="Tez">
        <input
          value={amount}
          onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          inputMode="decimal"
          aria-invalid={!isValid}
          required
        />
      </Field>
      <button class="button primary" disabled={outcome.isBusy || !isValid || !call}>
        <Icon name={verb.icon} /> <span>{outcome.isBusy ? verb.busy : verb.idle}</span>
      </button>
      {outcome.failure !== undefined && <SendFailure of={outcome.failure} />}
      <p class="said" role="status">
        {outcome.said}
      </p>
    </form>
  );
}
