// Chooses the account that signs. The page knows its name only: sandboxd has the key.
import { Field } from "../parts/field.tsx";
import { accounts } from "../state/live.ts";

interface AccountChoiceProps {
  readonly label: string;
  /** Label of the account. */
  readonly value: string;
  readonly onChoose: (label: string) => void;
}

export function AccountChoice({ label, value, onChoose }: AccountChoiceProps) {
  return (
    <Field label={label}>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {accounts.value.map(({ label: name }) => (
          <option key={name} value={name} selected={name === value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
