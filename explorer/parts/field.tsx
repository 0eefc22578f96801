// A labelled control of a form.
import type { ComponentChildren } from "preact";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Field({ label, hint, class: look = "", children }: FieldProps) {
  return (
    <label class={`field ${look}`}>
      <span class="name">{label}</span>
      {children}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}
